package explore

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/tool"
)

// Never is the After of an [Answer] that doesn't come.
const Never time.Duration = -1

// Answer is an event from outside for a run: the answer to a step.Await, or a cancel.
type Answer struct {
	// Run is the number of the run, from 1, in the order in which runs begin. The runs of [Start] are counted, and the runs that
	// a step of a counted run starts with the context of its scope.
	Run int
	// Path is the path of the step.Await, as in errors: "0/par.1/2". "" stands for a cancel of the run, if [Start] has begun it.
	Path string
	// After is the time from the beginning of the step, or of the run, to the answer, or [Never].
	After time.Duration
	// Err replaces the result of the step's function, unless it is nil. For a cancel it is the cause.
	Err error
}

// Answers makes the trial call the functions of step.Await on the goroutine of the test, at the beginning of their steps, and
// deliver their results in virtual time, as the answers say. So these functions must be fakes that don't block. A function that
// panics fails its step immediately. Of several answers for one step of a run, the first is for the first execution of the step,
// the second for the second, and so on. An execution without an answer gets the function's result immediately. Call Answers before
// [Start].
func (x *Trial) Answers(answers ...Answer) {
	x.answers, x.answering = slices.Clone(answers), true
}

type runKey struct{ x *Trial }

// call is a call of the function of a step.Await.
type call struct {
	run     int // from 0; none if it isn't known
	work    tool.Work
	out     reflect.Value
	err     error
	left    bool
	resumes int // for a guide: the index of the event with which the step goes on; none if no such event is recorded
}

func (x *Trial) take(w tool.Work) (stop func(cause error), taken bool) {
	if w.Body.Call == nil || !x.answering {
		return nil, false
	}
	run, known := w.Context.Value(runKey{x}).(int)
	if !known {
		run = none
	}
	c := &call{run: run, work: w, resumes: none}
	c.out, c.err = w.Body.Call(w.Context, w.In)
	if x.guide != nil {
		x.guide.called(c)
		return func(error) {
			c.left = true
		}, true
	}
	a := x.answerOf(run, w.Path)
	if a.After == Never {
		return func(error) { _, _ = x.loop.Immediate(func() { c.done(a.Err) }) }, true
	}
	timer := x.later(a.After, func() { c.done(a.Err) })
	return func(error) {
		x.loop.Cancel(timer)
		_, _ = x.loop.Immediate(func() { c.done(a.Err) })
	}, true
}

func (x *Trial) later(d time.Duration, fn func()) (h tool.Handle) {
	if d > 0 {
		h, _ = x.loop.Deferred(d, fn)
	} else {
		h, _ = x.loop.Immediate(fn)
	}
	return h
}

// done completes the step, with the result of the function if err is nil, and otherwise with err.
func (c *call) done(err error) {
	if err != nil {
		c.work.Done(reflect.Zero(c.work.Body.Out), err)
		return
	}
	c.work.Done(c.out, c.err)
}

// answerOf takes the next answer for a step of a run, or returns the zero Answer.
func (x *Trial) answerOf(run int, path string) (a Answer) {
	i := slices.IndexFunc(x.answers, func(a Answer) bool { return a.Run == run+1 && a.Path == path })
	if i >= 0 {
		a = x.use(i)
	}
	return a
}

// use moves answer i to x.used and returns it. If the times of answers are times of the loop, use makes After count from now.
func (x *Trial) use(i int) Answer {
	a := x.answers[i]
	x.answers = slices.Delete(x.answers, i, i+1)
	if x.absolute && a.After != Never {
		a.After = max(a.After-x.loop.Now(), 0)
	}
	x.used = append(x.used, a)
	return a
}

// numbered returns ctx with an observer that numbers the runs, or ctx itself if the trial doesn't call the functions of step.Await.
func (x *Trial) numbered(ctx context.Context) context.Context {
	if !x.answering {
		return ctx
	}
	return observe.With(ctx, observe.Func(func(ctx context.Context, run observe.Run) (context.Context, observe.Watch) {
		n := x.begun
		x.begun++
		ctx = context.WithValue(ctx, runKey{x}, n)
		if x.guide != nil {
			return ctx, x.guide.watch(x, n, run)
		}
		return ctx, func(e observe.Event) {
			if e.Kind == observe.RunEnd {
				x.ends = append(x.ends, ending{n + 1, textOf(e.Err)})
			}
		}
	}))
}

// started prepares the cancel of run n, which Start has begun, for an answer or the guide.
func (x *Trial) started(n int, cancel func(error) bool) {
	if x.guide != nil {
		x.guide.cancels[n] = cancel
		return
	}
	if i := slices.IndexFunc(x.answers, func(a Answer) bool { return a.Run == n+1 && a.Path == "" }); i >= 0 {
		if a := x.use(i); a.After != Never {
			x.later(a.After, func() { cancel(a.Err) })
		}
	}
}

// ending is the end of a run.
type ending struct {
	run  int
	text string // of its error, "" for none
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
