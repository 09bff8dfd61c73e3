package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/futoin-go/asyncsteps/observe"
)

// ErrNondeterministic is the error of a search whose body did different things under the same schedule. Perhaps the body ranges
// over a map, reads the clock of the machine, draws random numbers, starts goroutines, or keeps something from one trial to the
// next. An exhaustive search may run the schedule several times then. If these trials differ, the text of the error says where, by
// notes, choices and the steps of runs of [Start]. Use [Trial.Choose] for values from outside.
var ErrNondeterministic = errors.New("explore: the body does different things under the same schedule")

// agree reports whether the trials a and b have asked and noted the same up to and including question n, counted from 0.
func agree(a, b *Trial, n int) bool {
	if len(a.sizes) <= n || len(b.sizes) <= n || !slices.Equal(a.sizes[:n+1], b.sizes[:n+1]) {
		return false
	}
	noted := a.noted[n]
	return b.noted[n] == noted && slices.Equal(a.notes[:noted], b.notes[:noted])
}

// tries is how many times, at most, a schedule is run to see where its trials differ.
const tries = 20

// differing runs body under s until a trial differs from the first one, at most tries times. It returns a failure with
// ErrNondeterministic, which says where the two trials differ, if they do.
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

// watched returns ctx with an observer that traces the steps of a run, or ctx itself if the trial has no trace.
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
