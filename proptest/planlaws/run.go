package planlaws

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

const (
	// endless is the largest number of callbacks that a run may take.
	endless = 10_000

	// patience is a limit that no run reaches. The run that measures when callbacks come has it.
	patience = 10 * 365 * 24 * time.Hour
)

var errStop = errors.New("planlaws: the test cancels the run")

// outcome holds the result of a run, and what was recorded of it.
type outcome[Out any] struct {
	steps     int             // callbacks of the loop
	times     []time.Duration // of the loop before each callback
	calls     int
	out       Out
	err       error
	trace     []string
	observed  []string
	took      time.Duration
	cancelled bool // a cancel was accepted
}

// run executes a plan once, and checks the laws about single runs. choose draws the order, and whether a cancel comes before
// a callback; it may be nil.
func run[In, Out any](
	s *Subject[In, Out], w *World, plan flow.Plan[In, Out], in In, c incident, choose func(n int) int,
) (o outcome[Out], broken *Violation) {
	with := []tooltest.Option{tooltest.WithHost(tool.WithWork(w.take), tool.WithDeterministic())}
	switch {
	case choose != nil:
		with = append(with, tooltest.WithChooser(choose))
	case c.kind == cancels || c.kind == limits:
		with = append(with, tooltest.WithChooser(func(int) int { return 0 })) // a callback for each step
	}
	loop := tooltest.New(with...)
	w.begin(loop, c)
	ctx := context.Background()
	if c.kind != unobserved {
		ctx = observe.With(ctx, observe.Func(w.watch))
	}
	if c.kind == limits {
		plan = flow.Timeout(c.limit, plan)
	}
	running := flow.Start(ctx, loop, plan, in)
	running.Then(func(Out, error) { w.end() })
	for o.steps = 0; o.steps < endless; o.steps++ {
		o.times = append(o.times, loop.Now())
		switch {
		case w.ended:
		case c.kind == cancels && o.steps == c.at, choose != nil && !o.cancelled && choose(2) == 1:
			w.note("cancel")
			o.cancelled = running.Cancel(errStop)
		case c.kind == limits && o.steps == c.at:
			w.note("the limit passes")
			loop.Lag(c.limit - loop.Now())
		}
		if !loop.Step() {
			break
		}
	}
	o.out, o.err = running.Result()
	o.calls, o.trace, o.observed, o.took = w.calls, w.trace, w.observed, loop.Now()
	for _, found := range s.judge(w, in, o, c) {
		if !slices.Contains(s.Without, found.Law) {
			found.Trace = o.trace
			return o, found
		}
	}
	return o, nil
}

// judge returns a violation for each law that a run has broken.
func (s *Subject[In, Out]) judge(w *World, in In, o outcome[Out], c incident) (broken []*Violation) {
	report := func(law Law, what string, args ...any) {
		broken = append(broken, &Violation{Law: law, What: fmt.Sprintf(what, args...)})
	}
	switch {
	case !w.ended && o.steps == endless:
		report(Ends, "it hasn't ended after %d callbacks", endless)
	case !w.ended:
		report(Ends, "it waits, and nothing is left to wait for")
	case len(w.late) != 0:
		report(Silent, "after the end: %s", w.late[0])
	case w.loop.Now() != w.endedAt:
		report(Silent, "it has ended at %v, and a timer was left until %v", w.endedAt, w.loop.Now())
	}
	if !w.ended {
		return broken
	}
	for _, what := range w.misuse {
		report(Released, "%s", what)
	}
	reported := w.loop.Errors()
	if len(reported) != 0 && c.kind != panicsCall {
		report(Quiet, "%v", reported[0])
	}
	if o.cancelled && (!errors.Is(o.err, fault.Cancelled) || !errors.Is(o.err, errStop)) {
		report(Cancelled, "it has ended with %v, %v", o.out, o.err)
	}
	if w.failed && w.raised == 0 && o.err == nil && len(reported) == 0 {
		report(Raised, "%v is lost, the run has ended with %v", w.fault, o.out)
	}
	if s.Judge != nil {
		if err := s.Judge(in, o.out, o.err); err != nil {
			report(Judged, "%v, %v: %v", o.out, o.err, err)
		}
	}
	return broken
}

func (w *World) watch(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
	return ctx, func(e observe.Event) {
		line := fmt.Sprintf("%v %s %s", e.At, e.Kind, e.Path())
		if e.Err != nil {
			line += fmt.Sprintf(": %v", e.Err)
		}
		w.observed = append(w.observed, line)
		if e.Kind == observe.Raised {
			w.raised++
		}
	}
}

// differs describes how b differs from a, or returns "".
func differs[Out any](a, b outcome[Out], events bool) string {
	if what := firstDifference(a.trace, b.trace); what != "" {
		return what
	}
	if events {
		if what := firstDifference(a.observed, b.observed); what != "" {
			return what
		}
	}
	switch {
	case fmt.Sprint(a.err) != fmt.Sprint(b.err):
		return fmt.Sprintf("first the error is %v, then %v", a.err, b.err)
	// NaN isn't equal to itself, so the text is compared too.
	case !reflect.DeepEqual(a.out, b.out) && fmt.Sprintf("%#v", a.out) != fmt.Sprintf("%#v", b.out):
		return fmt.Sprintf("first the result is %v, then %v", a.out, b.out)
	case a.took != b.took:
		return fmt.Sprintf("first it takes %v, then %v", a.took, b.took)
	default:
		return ""
	}
}

func firstDifference(a, b []string) string {
	for i := range max(len(a), len(b)) {
		x, y := "nothing", "nothing"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return fmt.Sprintf("first: %s; then: %s", x, y)
		}
	}
	return ""
}
