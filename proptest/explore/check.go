package explore

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

// ReplayVar is the environment variable that makes [Check] run only one schedule, in the form of [Schedule.String]. A failure
// prints the whole command.
const ReplayVar = "EXPLORE_REPLAY"

// first is how many schedules Check draws, at most, before the exhaustive search. With a bound of delays it draws none there.
const first = 36

// early holds divisors of the number of schedules that Check may try. When the exhaustive search has tried a hundredth of that
// number, and again when it has tried a twentieth, Check draws schedules until it has drawn as many. This is for long tests: the
// exhaustive search begins with schedules that depart from the plain one near its end, and may try little else.
var early = []int{100, 20}

// Check runs body under the schedules within the bounds until body fails. If there are more than bounds.Schedules, Check tries
// that many of them, and as many drawn ones, see [Drawn]. The drawn schedules are the same each time. Without a bound of delays
// some of them come first, and others early.
//
// If body fails, Check fails t. It reports a simplified schedule under which body fails too, with the notes and plans of that
// trial, and the command that replays it. Otherwise Check logs how many different schedules it has run, and whether these are all.
// If they aren't, it logs about how many there are, if it can estimate that. If body ends its goroutine, as t.Fatal does, Check logs
// the schedule of that trial, without simplifying it, and ends too.
func Check(t testing.TB, bounds Bounds, body Body) {
	t.Helper()
	if text := os.Getenv(ReplayVar); text != "" {
		replay(t, text, body)
		return
	}
	s := newSearch(sheltered(body, func(x *Trial) { t.Logf("%s", x.failure(errEnded).report(t.Name())) }))
	s.workers = bounds.Workers
	limit := bounds.schedules()
	if bounds.Delays == 0 {
		s.drawn(1, min(first, limit))
		for _, part := range early {
			s.all(bounds, limit/part)
			s.drawn(1, limit/part)
		}
	}
	s.all(bounds, limit)
	s.drawn(1, limit)
	r := s.end()
	if r.Failure != nil {
		t.Fatal(r.Failure.report(t.Name()))
	}
	scope := ", all there are"
	switch {
	case !r.Complete && (s.last == nil || s.last.reduced() || s.total.trials == 0): // an estimate would count equivalent orders
		scope = ", not all there are"
	case !r.Complete:
		scope = fmt.Sprintf(" of about %v", &s.total)
	case bounds.Delays > 0:
		scope = fmt.Sprintf(", all with at most %d delays", bounds.Delays)
	}
	t.Logf("%d schedules%s; at least %d different outcomes", r.Schedules, scope, r.Outcomes)
}

func replay(t testing.TB, text string, body Body) {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	x := newTrial(s.answers())
	if err := body(x); err != nil {
		t.Fatal(x.failure(err).report(t.Name()))
	}
	t.Logf("schedule %s passes:\n%s", s, strings.Join(x.lines(), "\n"))
}

// report returns the failure as text.
func (f *Failure) report(test string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n\nunder the schedule %s (%d delays), in which happened:\n", f.Err, f.Schedule, f.Schedule.Delays())
	for _, line := range f.Notes {
		fmt.Fprintf(&b, "\t%s\n", line)
	}
	if p, ok := errors.AsType[*fault.Panic](f.Err); ok {
		fmt.Fprintf(&b, "\n%s", p.Stack)
	}
	for i, plan := range f.Plans {
		fmt.Fprintf(&b, "\nplan %d:\n%s", i+1, plan)
	}
	fmt.Fprintf(&b, "\nreplay: %s=%s go test -run '%s' .\n", ReplayVar, f.Schedule, pattern(test))
	return b.String()
}

var errEnded = errors.New("explore: the body has ended its goroutine")

// pattern returns the -run pattern that matches only that test and its subtests, to be put between single quotes of a shell.
func pattern(test string) string {
	return "^" + strings.NewReplacer("/", "$/^", "'", `'\''`).Replace(regexp.QuoteMeta(test)) + "$"
}
