package flow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

// fixture has the parts of plans in which several waits are completed before the run takes its turn.
type fixture struct {
	*plantest.Harness

	open map[string]step.Done[int] // the waits, by name
}

func (b *fixture) wait(name string) step.Step[int, int] {
	return step.New(func(as step.Scope, _ int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) { b.open[name] = done })
	})
}

func (b *fixture) note(name string) step.Step[int, int] {
	return step.Map(func(n int) int { b.Recordf("%s", name); return n })
}

func (b *fixture) more(name string) step.Step[int, int] {
	return flow.Then(b.wait(name), b.note("after-"+name))
}

func (b *fixture) effect(name string, do step.Step[int, int]) step.Step[int, int] {
	return flow.Undo(do, b.note("undo-"+name))
}

func (b *fixture) undone(all ...step.Step[int, int]) step.Step[int, int] {
	fails := step.Func(func(step.Scope, []int) (int, error) { return 0, errFirst })
	return flow.Saga(flow.Then(flow.Par(all...), fails))
}

// asDigits returns the results of s as the digits of one number.
func asDigits(s step.Step[int, []int]) step.Step[int, int] {
	return flow.Then(s, step.Map(func(all []int) (n int) {
		for _, digit := range all {
			n = 10*n + digit
		}
		return n
	}))
}

// O7, P6, P8, K5: several waits are completed before the run takes its turn. What they end succeeds before any step
// begins, in the order of the completions: it decides who wins a race, which result comes first, which effect is older.
func TestO7SuccessBeforeTheNextStepOfAnother(t *testing.T) {
	for _, test := range []struct {
		name string
		of   func(b *fixture) step.Step[int, int]
		ends string // the waits, in the order in which they are completed: a to d with 1 to 4, those with ! with an error
		want string
	}{
		{"P6 First", func(b *fixture) step.Step[int, int] {
			return flow.First(b.more("a"), b.wait("b"))
		}, "a b", "2"},
		{"P6 First of three, two of which go on", func(b *fixture) step.Step[int, int] {
			return flow.First(b.more("a"), b.more("b"), b.wait("c"))
		}, "b a c", "3"},
		{"P6 First, and the one that goes on is nested", func(b *fixture) step.Step[int, int] {
			return flow.First(flow.Named("in", flow.Named("in", b.more("a"))), flow.Named("in", b.wait("b")))
		}, "a b", "2"},
		{"P6 Race", func(b *fixture) step.Step[int, int] {
			return flow.Race(b.more("a"), b.wait("b"), b.more("c"))
		}, "a c b", "2"},
		{"P6 Some", func(b *fixture) step.Step[int, int] {
			return asDigits(flow.Some(2, b.more("a"), b.wait("b"), b.more("c"), b.wait("d")))
		}, "a d c b", "42"},
		{"P6 Some, some of which go on", func(b *fixture) step.Step[int, int] {
			return asDigits(flow.Some(3, b.more("a"), b.wait("b"), b.more("c")))
		}, "b c a", "after-c after-a 231"},
		{"P6 a branch ends with the last of its branches", func(b *fixture) step.Step[int, int] {
			return flow.First(flow.Shield(flow.Shield(b.wait("a"))), b.wait("b"))
		}, "a b", "1"},
		{"P6 an error is recovered", func(b *fixture) step.Step[int, int] {
			recovers := flow.Catch(b.wait("a"), func(step.Scope, error) step.Next[int] { return step.Succeed(9) })
			return flow.First(flow.Then(recovers, b.note("after-a")), b.more("b"), b.wait("c"))
		}, "a! b c", "3"},
		{"P6 an error isn't recovered", func(b *fixture) step.Step[int, int] {
			return flow.First(b.more("a"), b.wait("b"), b.wait("c"))
		}, "b! a c", "3"},
		{"P8 Completed", func(b *fixture) step.Step[int, int] {
			tasks := flow.NewTasks[int, int]("tasks")
			each := step.New(func(as step.Scope, i int) step.Next[int] {
				return step.Into(as, []step.Step[int, int]{b.more("a"), b.wait("b")}[i], 0)
			})
			return asDigits(flow.Then(flow.Value[int]([]int{0, 1}), tasks.Completed(2, each)))
		}, "a b", "after-a 21"},
		{"P1 elements begin in order", func(b *fixture) step.Step[int, int] {
			each := step.New(func(as step.Scope, i int) step.Next[int] {
				b.Recordf("%d", i)
				if i > 3 {
					return step.Succeed(i)
				}
				return step.Into(as, b.wait(fmt.Sprint(i)), 0)
			})
			elements := flow.Then(flow.Value[int]([]int{1, 2, 3, 4, 5, 6, 7}), flow.ParEach(3, each))
			return flow.First(b.wait("never"), flow.Then(asDigits(elements), step.Map(func(int) int { return 0 })))
		}, "3 1 2", "1 2 3 4 5 6 7 0"},
		{"K5 undone", func(b *fixture) step.Step[int, int] {
			return b.undone(b.effect("a", b.more("a")), b.effect("b", b.wait("b")), b.effect("c", b.more("c")))
		}, "b c a", "after-c after-a undo-a undo-c undo-b First"},
		{"K5 an effect is deeper than the other", func(b *fixture) step.Step[int, int] {
			return b.undone(b.effect("deep", flow.Shield(flow.Shield(b.wait("a")))), b.effect("b", b.wait("b")))
		}, "a b", "undo-b undo-deep First"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &fixture{plantest.NewHarness(t), map[string]step.Done[int]{}}
			run := flow.Start(context.Background(), b.Loop, test.of(b), 0)
			run.Then(func(n int, err error) {
				if err != nil {
					b.Recordf("%v", fault.CodeOf(err))
				} else {
					b.Recordf("%d", n)
				}
			})
			b.idle()
			for name := range strings.FieldsSeq(test.ends) {
				name, fails := strings.CutSuffix(name, "!")
				if fails {
					b.open[name].Fail(errors.New(name))
					continue
				}
				b.open[name].Succeed(slices.Index([]string{"", "a", "b", "c", "d"}, name))
			}
			b.Run()
			b.WantEvents(test.want)
		})
	}
}

// idle runs the loop until nothing is left but waits for the test.
func (b *fixture) idle() {
	for b.Pending() > 0 {
		b.Step()
	}
}

// O4, O7, P6: a branch that was set aside behind others once, and has had branches of its own since, arrives anew when
// these have ended: it goes on after those that have arrived before.
func TestO7ArrivesAnew(t *testing.T) {
	for _, inOneTurn := range []bool{false, true} {
		b := &fixture{plantest.NewHarness(t), map[string]step.Done[int]{}}
		p := flow.Then(b.wait("a"), flow.Then(flow.Shield(b.wait("c")), b.note("first")))
		q := flow.Then(b.wait("b"), flow.Then(b.wait("d"), b.note("second")))
		run := flow.Start(context.Background(), b.Loop, flow.First(p, q), 0)
		run.Then(func(n int, err error) { b.Recordf("%d-%v", n, err) })
		b.idle()
		b.open["a"].Succeed(0)
		if !inOneTurn {
			b.idle()
		}
		b.open["b"].Succeed(0)
		b.idle()
		b.open["d"].Succeed(2)
		b.open["c"].Succeed(1)
		b.Run()
		b.WantEvents("second 2-<nil>")
	}
}

// O4, O7, P6: which of two branches goes on first doesn't depend on whether the turn of the run ends just when one of
// them arrives.
func TestO7ArrivesAsTheTurnEnds(t *testing.T) {
	for depth := range 110 { // the turn has room for 100 steps
		b := &fixture{plantest.NewHarness(t), map[string]step.Done[int]{}}
		deep := b.wait("a")
		for range depth {
			inner := deep
			deep = step.New(func(as step.Scope, n int) step.Next[int] { return step.Into(as, inner, n) })
		}
		plan := flow.First(flow.Then(deep, b.note("first")), flow.Then(b.wait("b"), b.note("second")))
		run := flow.Start(context.Background(), b.Loop, plan, 0)
		run.Then(func(n int, err error) { b.Recordf("%d-%v", n, err) })
		b.idle()
		b.open["a"].Succeed(1)
		b.open["b"].Succeed(2)
		b.Run()
		b.WantEvents("first 1-<nil>")
	}
}
