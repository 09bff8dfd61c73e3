package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/futoin-go/asyncsteps/observe"
)

// ErrNondeterministic fails a search whose body did different things under the same schedule. The body may range over a map,
// read the clock of the machine, draw random numbers, start goroutines, or keep something from one trial to the next. An
// exhaustive search may then repeat the schedule. If these trials differ, the text of the error says where, by steps of runs that
// [Start] has begun, notes and choices. [Trial.Choose] can draw what comes from outside.
var ErrNondeterministic = errors.New("explore: the body does different things under the same schedule")

// agree reports whether the trials a and b have asked and noted the same up to and including question n, counted from 0.
func agree(a, b *Trial, n int) bool {
	if len(a.sizes) <= n || len(b.sizes) <= n || !slices.Equal(a.sizes[:n+1], b.sizes[:n+1]) {
		return false
	}
	noted := a.noted[n]
	return b.noted[n] == noted && slices.Equal(a.notes[:noted], b.notes[:noted])
}

// tries is how often a schedule is run at most to see where its trials differ.
const tries = 20

// differing runs body under s several times, and returns the failure of a body that doesn't do the same each time.
func differing(body Body, s Schedule) *Failure {
	var first *Trial
	for range tries {
		x := newTrial(s.answers())
		x.tracing = true
		_ = body(x)
		if first == nil {
			first = x
			continue
		}
		if where := difference(first.trace, x.trace); where != "" {
			return x.failure(fmt.Errorf("%w: %s", ErrNondeterministic, where))
		}
	}
	return first.failure(ErrNondeterministic)
}

func difference(a, b []string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n == len(a) && n == len(b) {
		return ""
	}
	behind := "at its beginning"
	if n > 0 {
		behind = "after " + a[n-1]
	}
	return fmt.Sprintf("%s: once %s, then %s", behind, line(a, n), line(b, n))
}

func line(trace []string, n int) string {
	if n == len(trace) {
		return "the end"
	}
	return trace[n]
}

// traced adds a line to the trace, if the trial has one.
func (x *Trial) traced(format string, args ...any) {
	if x.tracing {
		x.trace = append(x.trace, fmt.Sprintf(format, args...))
	}
}

// watched returns ctx with an observer that traces the steps of a run.
func (x *Trial) watched(ctx context.Context) context.Context {
	if !x.tracing {
		return ctx
	}
	return observe.With(ctx, observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			if e.IsStep() {
				x.traced("%v of step %s (%s)", e.Kind, e.Label(), e.Site())
			}
		}
	}))
}
