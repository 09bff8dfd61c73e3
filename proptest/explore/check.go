package explore

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// ReplayVar is the environment variable that makes [Check] run one schedule only, written in the form of
// [Schedule.String]. A failure prints the whole command.
const ReplayVar = "EXPLORE_REPLAY"

// Check runs body under every schedule within the bounds. If there are more than bounds.Schedules, it then runs as many
// again that are drawn at random, always the same ones. It logs how many there were. If body fails it fails t with the
// simplest failing schedule, its notes, and the command that replays it.
func Check(t testing.TB, bounds Bounds, body Body) {
	t.Helper()
	if text := os.Getenv(ReplayVar); text != "" {
		replay(t, text, body)
		return
	}
	s := newSearch(body)
	if s.all(bounds); s.result.Failure == nil && !s.result.Complete {
		s.drawn(1, s.result.Trials)
	}
	r := s.end()
	if r.Failure != nil {
		t.Fatal(r.Failure.report(t.Name()))
	}
	scope := "all there are"
	switch {
	case !r.Complete:
		scope = "not all there are"
	case bounds.Delays > 0:
		scope = fmt.Sprintf("all with at most %d delays", bounds.Delays)
	}
	t.Logf("%d schedules, %s; at least %d different outcomes", r.Schedules, scope, r.Outcomes)
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
	t.Logf("schedule %s passes:\n%s", s, x.outcome())
}

// report returns the failure as text.
func (f *Failure) report(test string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n\nunder the schedule %s (%d delays), in which happened:\n", f.Err, f.Schedule, f.Schedule.Delays())
	for _, line := range f.Notes {
		fmt.Fprintf(&b, "\t%s\n", line)
	}
	for i, plan := range f.Plans {
		fmt.Fprintf(&b, "\nplan %d:\n%s", i+1, plan)
	}
	fmt.Fprintf(&b, "\nreplay: %s=%s go test -run '%s' .\n", ReplayVar, f.Schedule, pattern(test))
	return b.String()
}

// pattern returns the -run pattern that matches only that test.
func pattern(test string) string {
	return "^" + strings.ReplaceAll(test, "/", "$/^") + "$"
}
