package flow_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func later(d time.Duration, n int) step.Step[int, int] {
	return flow.Then(step.Delay[int](d), plantest.Add(n))
}

const oneSecond = time.Second

func TestFirst(t *testing.T) {
	t.Run("P6 the first success wins, the others are left in order, then the step ends", func(t *testing.T) {
		var rec recorder
		p := flow.First(rec.waitingInt("a"), later(oneSecond, 10), rec.waitingInt("c"))
		plantest.WantResult(t, flow.Then(p, rec.passing("next")), 1, 11)
		rec.Want(t, "a", "c", "next")
	})
	t.Run("P6 one branch", func(t *testing.T) { plantest.WantResult(t, flow.First(plantest.Add(1)), 1, 2) })
	t.Run("P6 what has not begun never begins", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.First(plantest.Add(1), flow.Then(plantest.Add(2), rec.passing("b")), rec.passing("c")), 1, 2)
		rec.Want(t)
	})
	t.Run("P6 a branch that never waits lets the others go on", func(t *testing.T) {
		turns := 0
		busy := loopx.Loop(step.New(func(_ step.Scope, in int) step.Next[int] {
			if turns++; turns == 10_000 {
				return loopx.Break[int]()
			}
			return step.Succeed(in)
		}))
		plantest.WantResult(t, flow.First(busy, flow.Chain(slices.Repeat([]step.Step[int, int]{plantest.Add(1)}, 10)...)), 1, 11)
		if turns == 10_000 {
			t.Error("it took turn after turn")
		}
	})
	t.Run("P6 a branch that fails is out", func(t *testing.T) {
		plantest.WantResult(t, flow.First(step.Func(fail), failAfter(oneSecond, errSecond), later(2*oneSecond, 5)), 1, 6)
	})
	t.Run("P6 all fail: the last error, and the others", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, rec.recordError("step", flow.First(failAfter(3*oneSecond, errFirst), failAfter(oneSecond, errSecond), failAfter(2*oneSecond, errThird))), 1)
		e := plantest.WantCode(t, err, errFirst.Code)
		if e.Path != "0/first.0/1" {
			t.Errorf("path %q", e.Path)
		}
		if !errors.Is(err, errFirst) || !errors.Is(err, errSecond) || !errors.Is(err, errThird) {
			t.Errorf("not all in %v", err)
		}
		if len(e.Secondary) != 2 || !errors.Is(e.Secondary[0], errSecond) || !errors.Is(e.Secondary[1], errThird) {
			t.Errorf("secondary: %v", e.Secondary)
		}
		rec.Want(t, "step: First")
	})
	t.Run("P6 the handler of the step gets all errors", func(t *testing.T) {
		p := flow.Catch(flow.First(step.Func(fail), failAfter(oneSecond, errSecond)), func(_ step.Scope, err error) step.Next[int] {
			if !errors.Is(err, errFirst) || !errors.Is(err, errSecond) {
				t.Errorf("got %v", err)
			}
			return step.Succeed(7)
		})
		plantest.WantResult(t, flow.Then(p, plantest.Add(1)), 1, 8)
	})
	t.Run("P6 errors of a race that was won are not those of a later step", func(t *testing.T) {
		_, err := plantest.Run(t, flow.Then(flow.First(step.Func(fail), later(oneSecond, 5)), failAfter(oneSecond, errSecond)), 1)
		if e := plantest.WantCode(t, err, errSecond.Code); len(e.Secondary) != 0 || errors.Is(err, errFirst) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("P6 the path of a branch", func(t *testing.T) {
		_, err := plantest.Run(t, flow.Then(plantest.Add(1), flow.First(flow.Then(plantest.Add(1), step.Func(fail)))), 1)
		if e := plantest.WantCode(t, err, errFirst.Code); e.Path != "1/first.0/1" {
			t.Errorf("path %q", e.Path)
		}
	})
	t.Run("P6 again in the same memory", func(t *testing.T) {
		p := flow.First(step.Func(fail), step.Delay[int](5*oneSecond), later(oneSecond, 5))
		loop, run := plantest.Start(t, loopx.Repeat(3, flow.Then(step.Map(func(t loopx.Iteration[int]) int { return t.Carry }), p)), 1)
		until(loop, run)
		if v, err := plantest.Result(t, run); v != 16 || err != nil {
			t.Errorf("got %v, %v", v, err)
		}
		if now := loop.Now(); now != 3*oneSecond {
			t.Errorf("took %v", now)
		}
	})
	t.Run("P6 a limit has passed in a branch that is still being left when another wins: its handler isn't asked", func(t *testing.T) {
		var rec recorder
		limited := flow.Timeout(oneSecond, flow.Grace(-1, flow.Shield(step.Delay[int](3*oneSecond))))
		plantest.WantResult(t, flow.First(flow.Then(rec.recoverWith("handler", 7, limited), rec.passing("next step")), later(2*oneSecond, 5)), 1, 6)
		rec.Want(t)
	})
	t.Run("P6 nested", func(t *testing.T) {
		var rec recorder
		p := flow.First(flow.First(rec.waitingInt("a"), step.Delay[int](9*oneSecond)), flow.Then(flow.First(later(oneSecond, 1), rec.waitingInt("d")), step.Delay[int](oneSecond)), rec.waitingInt("e"))
		plantest.WantResult(t, p, 1, 2)
		rec.Want(t, "d", "a", "e")
	})
}

var errThird = fault.New("Third", "the third")

func TestSome(t *testing.T) {
	t.Run("P6 results in the order of success", func(t *testing.T) {
		var rec recorder
		p := flow.Some(2, later(3*oneSecond, 10), rec.waitingInt("b"), later(2*oneSecond, 20), later(oneSecond, 30))
		plantest.WantResult(t, p, 1, []int{31, 21})
		rec.Want(t, "b")
	})
	t.Run("P6 all of them", func(t *testing.T) {
		plantest.WantResult(t, flow.Some(2, later(2*oneSecond, 1), plantest.Add(2)), 1, []int{3, 2})
	})
	t.Run("P6 survives so many errors", func(t *testing.T) {
		plantest.WantResult(t, flow.Some(2, step.Func(fail), later(2*oneSecond, 1), later(oneSecond, 2)), 1, []int{3, 2})
	})
	t.Run("P6 fails when k can't succeed any more", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, flow.Some(2, failAfter(oneSecond, errFirst), failAfter(2*oneSecond, errSecond), rec.waitingInt("c")), 1)
		loop.Run()
		_, err := plantest.Result(t, run)
		e := plantest.WantCode(t, err, errSecond.Code)
		if len(e.Secondary) != 1 || !errors.Is(e.Secondary[0], errFirst) {
			t.Errorf("secondary: %v", e.Secondary)
		}
		rec.Want(t, "c")
	})
}

func TestP6Race(t *testing.T) {
	t.Run("P6 the first value wins", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.Race(rec.waitingInt("a"), later(oneSecond, 1), failAfter(2*oneSecond, errFirst)), 1, 2)
		rec.Want(t, "a")
	})
	t.Run("P6 the first error wins", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, rec.recordError("step", flow.Race(rec.waitingInt("a"), later(2*oneSecond, 1), failAfter(oneSecond, errFirst))), 1)
		if e := plantest.WantCode(t, err, errFirst.Code); e.Path != "0/race.2/1" || len(e.Secondary) != 0 {
			t.Errorf("path %q, secondary %v", e.Path, e.Secondary)
		}
		rec.Want(t, "a", "step: First")
	})
	t.Run("P6 an error that is recovered inside is none", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.Race(step.Delay[int](2*oneSecond), rec.recoverWith("inside", 7, failAfter(oneSecond, errFirst))), 1, 7)
	})
}

func TestP6RacesEndInEveryWay(t *testing.T) {
	for name, race := range races {
		t.Run(name+" C1 cancel", func(t *testing.T) {
			var rec recorder
			loop, run := plantest.Start(t, flow.OnCancel(race(rec.waitingInt("a"), rec.waitingInt("b")), func(step.Scope) { rec.Recordf("step") }), 1)
			loop.Advance(5 * oneSecond)
			run.Cancel(errFirst)
			loop.Run()
			_, err := plantest.Result(t, run)
			plantest.WantCode(t, err, fault.Cancelled)
			rec.Want(t, "a", "b", "step")
		})
		t.Run(name+" C3 a limit around", func(t *testing.T) {
			var rec recorder
			_, err := plantest.Run(t, rec.recordError("step", flow.Timeout(5*oneSecond, race(rec.waitingInt("a"), rec.waitingInt("b")))), 1)
			plantest.WantCode(t, err, fault.Timeout)
			rec.Want(t, "a", "b", "step: Timeout")
		})
		t.Run(name+" C3 a limit inside is an error of the branch", func(t *testing.T) {
			var rec recorder
			a := rec.recordError("inside", flow.Timeout(oneSecond, rec.waitingInt("a")))
			got, err := plantest.Run(t, rec.recoverWith("step", 70, race(a, later(5*oneSecond, 1))), 1)
			want := 2
			if name == "Race" {
				want = 70
			}
			if got != want || err != nil {
				t.Errorf("got %d, %v", got, err)
			}
		})
		t.Run(name+" P5 break out of a branch", func(t *testing.T) {
			var rec recorder
			leaves := flow.Then(step.Delay[int](5*oneSecond), step.New(func(_ step.Scope, in int) step.Next[int] { return loopx.Break[int]() }))
			plantest.WantResult(t, flow.Then(loopx.Loop(flow.Then(plantest.Add(1), race(rec.waitingInt("a"), leaves))), rec.passing("next")), 1, 1)
			rec.Want(t, "a", "next")
		})
		t.Run(name+" E4 a panic in a branch is its error", func(t *testing.T) {
			loop := tooltest.New()
			run := flow.Start(t.Context(), loop, race(step.Map(func(int) int { panic(errFirst) }), later(5*oneSecond, 1)), 1)
			loop.Run()
			got, err := run.Result()
			if name == "Race" {
				plantest.WantCode(t, err, fault.InternalError)
				return
			}
			if got != 2 || err != nil {
				t.Errorf("got %d, %v", got, err)
			}
			if errs := loop.Errors(); len(errs) != 1 || !errors.Is(errs[0], errFirst) {
				t.Errorf("reported: %v", errs)
			}
		})
		t.Run(name+" E4 a panic in a branch that a handler has passed on", func(t *testing.T) {
			loop := tooltest.New()
			broken := step.Func(func(as step.Scope, _ int) (int, error) {
				as.SetCancel(func() { panic(errSecond) }) // joined to the panic of the body
				panic(errFirst)
			})
			silent := func(step.Scope, error) step.Next[int] { return step.Unwind[int]() }
			run := flow.Start(t.Context(), loop, race(flow.Catch(broken, silent), later(5*oneSecond, 1)), 1)
			loop.Run()
			if _, err := run.Result(); name == "Race" {
				plantest.WantCode(t, err, fault.InternalError)
				return
			}
			if errs := loop.Errors(); len(errs) != 2 || !errors.Is(errs[0], errFirst) || !errors.Is(errs[1], errSecond) {
				t.Errorf("reported: %v", errs)
			}
		})
		t.Run(name+" E4 a panic in a hook of one that has lost is reported", func(t *testing.T) {
			loop := tooltest.New()
			lost := flow.OnCancel(step.Delay[int](time.Hour), func(step.Scope) { panic(errFirst) })
			run := flow.Start(t.Context(), loop, race(lost, later(oneSecond, 1)), 1)
			loop.Run()
			if got, err := run.Result(); got != 2 || err != nil {
				t.Errorf("got %d, %v", got, err)
			}
			if errs := loop.Errors(); len(errs) != 1 || !errors.Is(errs[0], errFirst) {
				t.Errorf("reported: %v", errs)
			}
		})
		t.Run(name+" E4 a panic in a hook of one that is left for an error is secondary", func(t *testing.T) {
			lost := flow.OnCancel(step.Delay[int](time.Hour), func(step.Scope) { panic(errSecond) })
			loop, run := plantest.Start(t, flow.Race(flow.Named("inner", race(lost, step.Delay[int](time.Hour))), failAfter(5*oneSecond, errFirst)), 1)
			loop.Run()
			_, err := plantest.Result(t, run)
			if e := plantest.WantCode(t, err, errFirst.Code); len(e.Secondary) != 1 || !errors.Is(e.Secondary[0], errSecond) {
				t.Errorf("got %+v", err)
			}
		})
		t.Run(name+" P1 P4 state is shared, locks are not inherited", func(t *testing.T) {
			v := step.NewVar[int]("n")
			m := syncx.NewMutex(1, -1)
			puts := step.Func(func(as step.Scope, in int) (int, error) {
				v.Set(as, in)
				return in, nil
			})
			gets := step.Func(func(as step.Scope, _ int) (int, error) {
				n, _ := v.Get(as)
				return n, nil
			})
			plantest.WantResult(t, flow.Then(race(syncx.Sync(m, flow.Then(step.Delay[int](oneSecond), puts)), syncx.Sync(m, step.Delay[int](time.Minute))), gets), 5, 5)
		})
	}
}

// races holds the races of two branches.
var races = map[string]func(a, b step.Step[int, int]) step.Step[int, int]{
	"First": func(a, b step.Step[int, int]) step.Step[int, int] { return flow.First(a, b) },
	"Some":  func(a, b step.Step[int, int]) step.Step[int, int] { return sum(flow.Some(1, a, b)) },
	"Race":  func(a, b step.Step[int, int]) step.Step[int, int] { return flow.Race(a, b) },
	"Hedge": func(a, b step.Step[int, int]) step.Step[int, int] { return flow.Hedge(time.Millisecond, a, b) },
}

// The contexts of goroutines in branches that have lost end at once, and the race waits for the goroutines (C7).
func TestP6RacesJoinGoroutines(t *testing.T) {
	lost := func(told *[]error) step.Step[int, int] {
		return step.Await(func(ctx context.Context, in int) (int, error) {
			<-ctx.Done()
			*told = append(*told, context.Cause(ctx))
			virtualSleep(100 * time.Millisecond)
			return in, nil
		})
	}
	t.Run("C7 joined before the step ends", func(t *testing.T) {
		bubble(t, func(t *testing.T, loop *tool.Loop, _ *errorLog) {
			var told []error
			began := time.Now()
			got, err := flow.Start(t.Context(), loop, flow.First(lost(&told), later(oneSecond, 1)), 1).Wait(t.Context())
			if got != 2 || err != nil {
				t.Errorf("got %v, %v", got, err)
			}
			if took := time.Since(began); took != oneSecond+100*time.Millisecond {
				t.Errorf("took %v", took)
			}
			if len(told) != 1 || fault.CodeOf(told[0]) != fault.Cancelled {
				t.Errorf("told to stop by %v", told)
			}
		})
	})
	t.Run("O7 a larger limit may overtake the join", func(t *testing.T) {
		bubble(t, func(t *testing.T, loop *tool.Loop, _ *errorLog) {
			var told []error
			p := flow.Timeout(oneSecond+50*time.Millisecond, flow.First(lost(&told), later(oneSecond, 1), failAfter(time.Millisecond, errFirst)))
			_, err := flow.Start(t.Context(), loop, p, 1).Wait(t.Context())
			if e := plantest.WantCode(t, err, fault.Timeout); len(e.Secondary) != 1 || !errors.Is(err, errFirst) {
				t.Errorf("got %+v", err)
			}
		})
	})
	t.Run("C7 one that ignores its context is reported", func(t *testing.T) {
		bubble(t, func(t *testing.T, loop *tool.Loop, reported *errorLog) {
			stubborn := step.Await(func(context.Context, int) (int, error) {
				virtualSleep(time.Minute)
				return 0, nil
			})
			got, err := flow.Start(t.Context(), loop, flow.First(stubborn, later(oneSecond, 1)), 1).Wait(t.Context())
			if got != 2 || err != nil {
				t.Errorf("got %v, %v", got, err)
			}
			if n := len(reported.all()); n != 1 {
				t.Errorf("reported: %v", reported.all())
			}
			virtualSleep(time.Minute)
		})
	})
}

func TestP6RacesAreRejected(t *testing.T) {
	one := plantest.Add(1)
	for want, p := range map[string]flow.Plan[int, int]{
		"First: there is no branch":                 flow.First[int, int](),
		"First: a branch is nil":                    flow.First(one, nil),
		"Race: there is no branch":                  flow.Race[int, int](),
		"Hedge: there is no branch":                 flow.Hedge[int, int](oneSecond),
		"Hedge: the delay must be positive, got 0s": flow.Hedge(0, one),
		"Some: 3 of 2 branches can't succeed":       sum(flow.Some(3, one, one)),
		"Some: 0 of 2 branches can't succeed":       sum(flow.Some(0, one, one)),
		"Some: -1 of 0 branches can't succeed":      sum(flow.Some[int, int](-1)),
	} {
		if e := plantest.WantCode(t, p.Err(), fault.InvalidRequest); e.Info != want {
			t.Errorf("got %q, want %q", e.Info, want)
		}
		if flow.Describe(p) == nil {
			t.Errorf("%s: can't be described", want)
		}
	}
}

func TestP6RacesAreNodes(t *testing.T) {
	var kinds []string
	for _, p := range []flow.Plan[int, int]{
		flow.First(plantest.Add(1), plantest.Add(2)), flow.Race(plantest.Add(1), plantest.Add(2)), flow.Hedge(oneSecond, plantest.Add(1), plantest.Add(2)), flow.Of(flow.Then(flow.Some(1, plantest.Add(1), plantest.Add(2)), step.Map(func(v []int) int { return v[0] }))),
	} {
		tree := flow.Describe(p).Holds[0]
		kinds = append(kinds, tree.Kind, tree.Holds[1].Path, string(tree.Holds[1].Role), tree.Holds[1].Holds[0].Path)
	}
	want := []string{
		"first", "0/first.1", "branch", "0/first.1/0", "race", "0/race.1", "branch", "0/race.1/0",
		"hedge", "0/hedge.1", "branch", "0/hedge.1/0", "some", "0/some.1", "branch", "0/some.1/0",
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The continue by which a branch was left isn't kept in the memory of the branch, which the next iteration uses.
func TestP6RaceAfterASignal(t *testing.T) {
	branch := step.New(func(as step.Scope, it loopx.Iteration[int]) step.Next[int] {
		switch it.Index {
		case 0, 2:
			return loopx.Continue[int]()
		default:
			return step.Fail[int](errFirst)
		}
	})
	other := step.New(func(as step.Scope, it loopx.Iteration[int]) step.Next[int] {
		if it.Index < 3 {
			return step.Into(as, step.Delay[int](0), it.Carry+1)
		}
		return step.Succeed(it.Carry)
	})
	for range 3 {
		plantest.WantResult(t, loopx.Repeat(4, flow.First(branch, other)), 0, 1)
	}
}
