package loopx_test

import (
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

func TestLabel(t *testing.T) {
	outer := loopx.NewLabel[int]("OUTER")
	// nested returns body in three loops, the outermost of which has the label
	nested := func(rec *recorder, body step.Step[int, int]) step.Step[int, int] {
		inner := loopx.Loop(rec.recordError(loopx.Loop(rec.recordError(body))))
		return loopx.Labelled(outer, loopx.Loop(rec.withHook(flow.Then(plantest.Add(1), inner))))
	}

	t.Run("L1 a break ends the loops in between", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.Then(nested(&rec, rec.withHook(step.New(func(_ step.Scope, in int) step.Next[int] {
			return loopx.BreakTo[int](outer, in*100)
		}))), plantest.Add(1)), 4, 501)
		rec.Want(t, "hook", "cleanup", "hook", "cleanup")
	})

	t.Run("L1 a continue carries its value to the next turn", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, nested(&rec, step.New(func(_ step.Scope, in int) step.Next[int] {
			if in > 100 {
				return loopx.BreakTo[int](outer, in)
			}
			return loopx.ContinueTo[int](outer, in*10)
		})), 0, 111)
		rec.Want(t, "hook", "cleanup", "hook", "cleanup", "hook", "cleanup")
	})

	t.Run("L1 from a handler, a waiting step and a branch", func(t *testing.T) {
		for name, body := range map[string]step.Step[int, int]{
			"handler": flow.Catch(step.New(func(step.Scope, int) step.Next[int] { return step.Fail[int](errTurn) }),
				func(step.Scope, error) step.Next[int] { return loopx.BreakTo[int](outer, 5) }),
			"after a wait": flow.Then(step.Delay[int](time.Second), step.New(func(step.Scope, int) step.Next[int] {
				return loopx.BreakTo[int](outer, 5)
			})),
			"branch": flow.Then(flow.Par2(step.Delay[int](time.Hour), step.New(func(step.Scope, int) step.Next[int] {
				return loopx.BreakTo[int](outer, 5)
			})), step.Map(func(flow.Pair[int, int]) int { return 0 })),
		} {
			t.Run(name, func(t *testing.T) {
				var rec recorder
				plantest.WantResult(t, nested(&rec, body), 0, 5)
				rec.Want(t, "hook", "cleanup")
			})
		}
	})

	t.Run("L1 P5 a branch with a loop of its own breaks the one outside", func(t *testing.T) {
		var rec recorder
		p := loopx.Labelled(outer, loopx.Loop(flow.Then(flow.Par2(
			rec.withHook(step.Delay[int](time.Hour)),
			loopx.Loop(flow.Then(step.Delay[int](time.Second), step.New(func(_ step.Scope, in int) step.Next[int] {
				if in == 3 {
					return loopx.BreakTo[int](outer, in)
				}
				return step.Succeed(in + 1)
			})))), step.Map(func(flow.Pair[int, int]) int { return -1 }))))
		l, run := plantest.Start(t, p, 0)
		if got, err := plantest.Wait(t, l, run); got != 3 || err != nil {
			t.Errorf("got %d, %v", got, err)
		}
		if l.Now() != 4*time.Second {
			t.Errorf("took %v", l.Now())
		}
		rec.Want(t, "hook", "cleanup")
	})

	t.Run("L1 the innermost of two loops with the label", func(t *testing.T) {
		inner := loopx.Labelled(outer, loopx.Loop(step.New(func(_ step.Scope, in int) step.Next[int] {
			return loopx.BreakTo[int](outer, in+1)
		})))
		turns := 0
		plantest.WantResult(t, loopx.Labelled(outer, loopx.Loop(flow.Then(inner, step.New(func(_ step.Scope, in int) step.Next[int] {
			if turns++; turns == 3 {
				return loopx.Break[int]()
			}
			return step.Succeed(in)
		})))), 0, 2)
	})

	t.Run("the outer one of two labels counts", func(t *testing.T) {
		breaks := loopx.Loop(step.New(func(step.Scope, int) step.Next[int] { return loopx.BreakTo[int](outer, 5) }))
		plantest.WantResult(t, loopx.Labelled(outer, loopx.Labelled(loopx.NewLabel[int]("INNER"), breaks)), 0, 5)
	})

	t.Run("two labels of one name are two", func(t *testing.T) {
		other := loopx.NewLabel[int]("OUTER")
		_, err := plantest.Run(t, loopx.Labelled(other, loopx.Loop(step.New(func(step.Scope, int) step.Next[int] {
			return loopx.BreakTo[int](outer, 0)
		}))), 0)
		plantest.WantCode(t, err, fault.InternalError)
	})

	t.Run("every kind of loop can have one", func(t *testing.T) {
		turns := loopx.Labelled(outer, loopx.Repeat(3, step.New(func(_ step.Scope, t loopx.Iteration[int]) step.Next[int] {
			return loopx.BreakTo[int](outer, t.Index+70)
		})))
		plantest.WantResult(t, turns, 0, 70)
		elements := loopx.Labelled(outer, loopx.Each(step.New(func(_ step.Scope, it loopx.Item[int, int, int]) step.Next[int] {
			return loopx.ContinueTo[int](outer, it.Carry+2*it.Value)
		})))
		plantest.WantResult(t, elements, numbers, 300)
	})

	t.Run("the zero value may be carried", func(t *testing.T) {
		failed := loopx.NewLabel[error]("FAILED")
		plantest.WantResult(t, loopx.Labelled(failed, loopx.Loop(step.New(func(step.Scope, error) step.Next[error] {
			return loopx.BreakTo[error, error](failed, nil)
		}))), error(errTurn), nil)
	})
}

func TestSignalsWithoutALoop(t *testing.T) {
	nowhere := loopx.NewLabel[int]("NOWHERE")
	for _, tt := range []struct {
		name string
		next func() step.Next[int]
		says string
	}{
		{"Break", loopx.Break[int], "break"},
		{"Continue", loopx.Continue[int], "continue"},
		{"BreakTo", func() step.Next[int] { return loopx.BreakTo[int](nowhere, 0) }, "NOWHERE"},
		{"ContinueTo", func() step.Next[int] { return loopx.ContinueTo[int](nowhere, 0) }, "NOWHERE"},
		{"zero Label", func() step.Next[int] { return loopx.BreakTo[int](loopx.Label[int]{}, 0) }, "zero Label"},
	} {
		body := step.New(func(step.Scope, int) step.Next[int] { return tt.next() })
		labelled := strings.HasSuffix(tt.name, "To") || tt.name == "zero Label"
		for place, plan := range map[string]step.Step[int, int]{
			"outside":       body,
			"after a loop":  flow.Then(upTo(1), body),
			"in a branch":   flow.Then(flow.Par2(body, step.Delay[int](time.Hour)), step.Map(func(flow.Pair[int, int]) int { return 0 })),
			"in a handler":  flow.Catch(step.New(func(step.Scope, int) step.Next[int] { return step.Fail[int](errTurn) }), func(step.Scope, error) step.Next[int] { return tt.next() }),
			"loop's own":    flow.Catch(loopx.Loop(step.New(func(step.Scope, int) step.Next[int] { return step.Fail[int](errTurn) })), func(step.Scope, error) step.Next[int] { return tt.next() }),
			"unlabelled":    loopx.Loop(body),
			"another label": loopx.Labelled(loopx.NewLabel[int]("L"), loopx.Loop(body)),
		} {
			if (place == "unlabelled" || place == "another label") && !labelled {
				continue // it acts on the nearest loop
			}
			t.Run(tt.name+" "+place, func(t *testing.T) {
				var rec recorder
				_, err := plantest.Run(t, rec.recordError(plan), 0)
				plantest.WantCode(t, err, fault.InternalError)
				if !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%v should say %q", err, tt.says)
				}
				rec.Want(t, "handler: InternalError") // the break or continue became an error, which the handler gets
			})
		}
	}
}

func TestLabelledRefuses(t *testing.T) {
	label := loopx.NewLabel[int]("L")
	for name, plan := range map[string]step.Step[int, int]{
		"a nil stage":               loopx.Labelled[int](label, nil),
		"a stage that isn't a loop": loopx.Labelled(label, plantest.Add(1)),
		"a loop with a name":        loopx.Labelled(label, flow.Named("loop", upTo(3))),
		"a loop in a sequence":      loopx.Labelled(label, flow.Then(plantest.Add(1), upTo(3))),
		"the zero label":            loopx.Labelled(loopx.Label[int]{}, upTo(3)),
	} {
		_, err := plantest.Run(t, plan, 0)
		if fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: got %v", name, err)
		}
		flow.Describe(plan) // Describe works for plans that can't be run, too
	}
}
