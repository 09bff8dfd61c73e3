package flow_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

// lastErrors has steps that raise errors, and steps that record the info of the error raised last.
type lastErrors struct {
	t *testing.T
	recorder
}

func (*lastErrors) after(ms int, s step.Step[int, int]) step.Step[int, int] {
	return flow.Then(step.Delay[int](time.Duration(ms)*time.Millisecond), s)
}

func (*lastErrors) fails(info string) step.Step[int, int] {
	return plantest.Fail[int, int](fault.New("Bad", info))
}

func (*lastErrors) mended(s step.Step[int, int]) step.Step[int, int] {
	return flow.Catch(s, func(step.Scope, error) step.Next[int] { return step.Succeed(0) })
}

func (e *lastErrors) look(name string) step.Step[int, int] {
	return step.Func(func(as step.Scope, _ int) (int, error) {
		info, _ := as.State().Get(step.ErrorInfo)
		last, _ := as.State().Get(step.LastException)
		err, _ := last.(error)
		e.Recordf("%s: %v", name, info)
		if info != fault.InfoOf(err) {
			e.t.Errorf("%s: error_info is %v, last_exception %v", name, info, err)
		}
		return 0, nil
	})
}

// E3, P10: the last error of a Linger and of the run around it are one, at any depth, until the step of the Linger is left.
func TestP10LastError(t *testing.T) {
	e := &lastErrors{t: t}
	after, look, fails := e.after, e.look, e.fails
	mended := func(info string) step.Step[int, int] { return e.mended(fails(info)) }
	waits := step.Delay[int](9 * time.Millisecond)
	slow := func(use step.Step[int, int]) step.Step[int, int] {
		return flow.Bracket(plantest.Add(0), use, flow.Then(step.Map(func(flow.Ended[int, int]) int { return 0 }), waits))
	}
	for name, c := range map[string]struct {
		linger, beside step.Step[int, int]
		lines          []string
	}{
		"none":                    {look("inside"), after(1, look("beside")), []string{"inside: ", "beside: ", "after: "}},
		"inside, seen beside":     {flow.Chain(mended("a"), waits), after(5, look("beside")), []string{"beside: a", "after: a"}},
		"beside, seen inside":     {after(5, look("inside")), after(1, mended("b")), []string{"inside: b", "after: b"}},
		"inside, then beside":     {after(5, mended("a")), after(6, mended("b")), []string{"after: b"}},
		"beside, then inside":     {after(6, mended("a")), after(5, mended("b")), []string{"after: a"}},
		"beside while inside":     {flow.Chain(mended("a"), waits), after(5, mended("b")), []string{"after: b"}},
		"inside two":              {flow.Chain(mended("a"), waits), lingersAround(2, after(5, mended("b"))), []string{"after: b"}},
		"leaves":                  {after(6, fails("a")), after(5, mended("b")), []string{"after: a"}},
		"beside while one leaves": {slow(fails("a")), after(5, mended("b")), []string{"after: b"}},
	} {
		for depth := range 4 {
			t.Run(fmt.Sprintf("%s, depth %d", name, depth), func(t *testing.T) {
				e.Lines = nil
				plantest.WantResult(t, flow.Then(sum[int](flow.Par(e.mended(lingersAround(depth, c.linger)), c.beside)), look("after")), 0, 0)
				e.Want(t, c.lines...)
			})
		}
	}
}

// E3, P10: what a Linger raises after its step was left isn't the last error of the run around it, nor the other way round.
func TestP10LastErrorAfterALeave(t *testing.T) {
	e := &lastErrors{t: t}
	after, look := e.after, e.look
	mended := func(info string) step.Step[int, int] { return e.mended(e.fails(info)) }
	for depth := range 3 {
		// The race is decided after 1 ms, when the steps of its first branch are in a shield.
		goesOn := flow.Chain(mended("inside"), after(4, look("inside")), mended("later inside"), after(3, look("inside")))
		for name, left := range map[string]step.Step[int, int]{
			"around the shield": lingersAround(1+depth, flow.Shield(goesOn)),
			"in the shield":     flow.Linger(time.Minute, flow.Shield(lingersAround(depth, goesOn))),
		} {
			t.Run(fmt.Sprintf("%s, depth %d", name, depth), func(t *testing.T) {
				e.Lines = nil
				plantest.WantResult(t, flow.Chain(
					flow.First(left, after(1, look("beside"))),
					after(1, mended("around")), after(4, look("around")),
				), 0, 0)
				e.Want(t, "beside: inside", "inside: inside", "around: around", "inside: later inside")
			})
		}
	}
}
