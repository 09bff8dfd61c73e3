package loopx_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

var numbers = []int{10, 20, 30, 40, 50}

// every holds each kind of loop that isn't timed. With the input 0, the body gets 0 in its first iteration. It runs five
// times unless it ends the loop.
var every = []struct {
	name string
	loop func(body step.Step[int, int]) step.Step[int, int]
}{
	{"Loop", func(body step.Step[int, int]) step.Step[int, int] {
		// this loop ends only by a break, so its body counts
		return step.New(func(as step.Scope, in int) step.Next[int] {
			turns := 0
			return step.Into(as, loopx.Loop(flow.Then(step.New(func(_ step.Scope, in int) step.Next[int] {
				if turns++; turns > len(numbers) {
					return loopx.Break[int]()
				}
				return step.Succeed(in)
			}), body)), in)
		})
	}},
	{"Repeat", func(body step.Step[int, int]) step.Step[int, int] {
		return loopx.Repeat(len(numbers), flow.Then(step.Map(func(t loopx.Iteration[int]) int { return t.Carry }), body))
	}},
	{"Each", func(body step.Step[int, int]) step.Step[int, int] {
		return flow.Then(flow.Value[int](numbers), loopx.Each(carried[int, int](body)))
	}},
	{"EachMap", func(body step.Step[int, int]) step.Step[int, int] {
		return flow.Then(flow.Value[int](maps.Collect(slices.All(numbers))), loopx.EachMap(carried[int, int](body)))
	}},
	{"EachSeq", func(body step.Step[int, int]) step.Step[int, int] {
		return flow.Then(flow.Value[int](slices.Values(numbers)), loopx.EachSeq(carried[int, int](body)))
	}},
	{"EachSeq2", func(body step.Step[int, int]) step.Step[int, int] {
		return flow.Then(flow.Value[int](slices.All(numbers)), loopx.EachSeq2(carried[int, int](body)))
	}},
}

// carried runs body on the value that the iteration carries.
func carried[K, V any](body step.Step[int, int]) step.Step[loopx.Item[K, V, int], int] {
	return flow.Then(step.Map(func(it loopx.Item[K, V, int]) int { return it.Carry }), body)
}

func TestEveryLoop(t *testing.T) {
	for _, kind := range every {
		t.Run(kind.name, func(t *testing.T) { everyLoop(t, kind.loop) })
	}
}

func everyLoop(t *testing.T, loop func(body step.Step[int, int]) step.Step[int, int]) {
	// third returns a body that counts to two, and then calls next
	third := func(next func(as step.Scope, in int) step.Next[int]) step.Step[int, int] {
		return step.New(func(as step.Scope, in int) step.Next[int] {
			if in == 2 {
				return next(as, in)
			}
			return step.Succeed(in + 1)
		})
	}
	breaks := func(step.Scope, int) step.Next[int] { return loopx.Break[int]() }

	t.Run("carries the result of a turn to the next", func(t *testing.T) {
		plantest.WantResult(t, loop(plantest.Add(1)), 0, 5)
	})

	t.Run("L2 waits are those of the turn", func(t *testing.T) {
		l, run := plantest.Start(t, loop(flow.Then(flow.Timeout(2*time.Second, step.Delay[int](time.Second)), plantest.Add(1))), 0)
		if got, err := plantest.Wait(t, l, run); got != 5 || err != nil {
			t.Errorf("got %d, %v", got, err)
		}
		if l.Now() != 5*time.Second {
			t.Errorf("took %v", l.Now())
		}
	})

	t.Run("L2 hook and stack are fresh in each turn", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, loop(rec.withHook(plantest.Add(1))), 0, 5)
		rec.Want(t, "cleanup", "cleanup", "cleanup", "cleanup", "cleanup")
	})

	t.Run("L1 a break gives what the turn began with", func(t *testing.T) {
		plantest.WantResult(t, flow.Then(loop(third(breaks)), plantest.Add(100)), 0, 102)
	})

	t.Run("L1 a continue drops what the turn has done", func(t *testing.T) {
		turns := 0
		plantest.WantResult(t, loop(step.New(func(_ step.Scope, in int) step.Next[int] {
			if turns++; turns%2 == 0 {
				return loopx.Continue[int]()
			}
			return step.Succeed(in + turns)
		})), 0, 1+3+5)
	})

	t.Run("L1 a break from sub-steps runs hook and cleanups and asks no handler", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, loop(rec.recordError(rec.withHook(flow.Then(plantest.Add(0), rec.recordError(third(breaks)))))), 0, 2)
		rec.Want(t, "cleanup", "cleanup", "hook", "cleanup")
	})

	t.Run("L1 a continue from sub-steps runs hook and cleanups and asks no handler", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, loop(rec.recordError(rec.withHook(third(func(step.Scope, int) step.Next[int] { return loopx.Continue[int]() })))), 0, 2)
		rec.Want(t, "cleanup", "cleanup", "hook", "cleanup", "hook", "cleanup", "hook", "cleanup")
	})

	t.Run("L1 a break from an error handler", func(t *testing.T) {
		fails := third(func(step.Scope, int) step.Next[int] { return step.Fail[int](errTurn) })
		plantest.WantResult(t, loop(flow.Catch(fails, func(step.Scope, error) step.Next[int] { return loopx.Break[int]() })), 0, 2)
	})

	t.Run("L1 a break from the sub-steps of an error handler", func(t *testing.T) {
		var rec recorder
		fails := third(func(step.Scope, int) step.Next[int] { return step.Fail[int](errTurn) })
		plantest.WantResult(t, loop(flow.Catch(fails, func(as step.Scope, _ error) step.Next[int] {
			return step.Into(as, rec.recordError(rec.withHook(step.New(breaks))), 0)
		})), 0, 2)
		rec.Want(t, "hook", "cleanup")
	})

	t.Run("P5 a break from a branch ends its siblings", func(t *testing.T) {
		var rec recorder
		siblings := flow.Par2(rec.withHook(step.Delay[int](time.Hour)), flow.Then(step.Delay[int](time.Second), rec.recordError(third(breaks))))
		l, run := plantest.Start(t, loop(rec.recordError(flow.Then(siblings, step.Map(func(p flow.Pair[int, int]) int { return p.B })))), 0)
		if got, err := plantest.Wait(t, l, run); got != 2 || err != nil {
			t.Errorf("got %d, %v", got, err)
		}
		rec.Want(t, "cleanup", "cleanup", "hook", "cleanup")
		if l.Now() != 2*time.Hour+time.Second {
			t.Errorf("took %v", l.Now())
		}
	})

	t.Run("P5 a continue from a branch", func(t *testing.T) {
		turns := 0
		plantest.WantResult(t, loop(flow.Then(flow.Par2(plantest.Add(1), step.New(func(_ step.Scope, in int) step.Next[int] {
			if turns++; turns == 3 {
				return loopx.Continue[int]()
			}
			return step.Succeed(in)
		})), step.Map(func(p flow.Pair[int, int]) int { return p.A }))), 0, 4)
	})

	t.Run("L1 a break out of a section leaves the guard", func(t *testing.T) {
		m := syncx.NewMutex(1, 0)
		plantest.WantResult(t, loop(syncx.Sync(m, third(breaks))), 0, 2)
		if m.Inside() != 0 {
			t.Errorf("%d are inside", m.Inside())
		}
	})

	t.Run("L5 an error of a turn goes outwards", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, rec.recordError(loop(rec.withHook(third(func(step.Scope, int) step.Next[int] { return step.Fail[int](errTurn) })))), 0)
		if !errors.Is(err, errTurn) {
			t.Errorf("got %v", err)
		}
		rec.Want(t, "cleanup", "cleanup", "hook", "cleanup", "handler: Turn")
	})

	t.Run("L5 an error that is recovered in the turn is none", func(t *testing.T) {
		fails := third(func(step.Scope, int) step.Next[int] { return step.Fail[int](errTurn) })
		plantest.WantResult(t, loop(flow.Catch(fails, func(step.Scope, error) step.Next[int] { return step.Succeed(10) })), 0, 12)
	})

	t.Run("E2 the loop's own handler takes its place", func(t *testing.T) {
		fails := step.New(func(step.Scope, int) step.Next[int] { return step.Fail[int](errTurn) })
		plantest.WantResult(t, flow.Then(flow.Catch(loop(fails), func(step.Scope, error) step.Next[int] { return step.Succeed(7) }), plantest.Add(1)), 0, 8)
	})

	t.Run("E4 a panic of a turn", func(t *testing.T) {
		_, err := plantest.Run(t, loop(third(func(step.Scope, int) step.Next[int] { panic("oops") })), 0)
		plantest.WantCode(t, err, fault.InternalError)
	})

	t.Run("C3 a limit around the loop", func(t *testing.T) {
		var rec recorder
		l, run := plantest.Start(t, flow.Timeout(90*time.Second, loop(rec.recordError(rec.withHook(step.Delay[int](time.Minute))))), 0)
		_, err := plantest.Wait(t, l, run)
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t, "cleanup", "hook", "cleanup")
	})

	t.Run("C3 a limit in the turn", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, loop(rec.recordError(flow.Timeout(time.Second, rec.withHook(step.Delay[int](time.Minute))))), 0)
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t, "hook", "cleanup", "handler: Timeout")
	})

	t.Run("C1 cancel", func(t *testing.T) {
		var rec recorder
		l, run := plantest.Start(t, rec.recordError(loop(rec.recordError(rec.withHook(step.Delay[int](time.Minute))))), 0)
		l.Advance(150 * time.Second)
		run.Cancel(nil)
		_, err := plantest.Wait(t, l, run)
		plantest.WantCode(t, err, fault.Cancelled)
		rec.Want(t, "cleanup", "cleanup", "hook", "cleanup")
	})

	t.Run("a nil body is reported", func(t *testing.T) {
		_, err := plantest.Run(t, loop(nil), 0)
		plantest.WantCode(t, err, fault.InvalidRequest)
	})

	t.Run("two runs at once share nothing", func(t *testing.T) {
		p := loop(flow.Then(step.Delay[int](time.Second), plantest.Add(1)))
		l, one := plantest.Start(t, p, 0)
		l.Advance(2500 * time.Millisecond)
		two := flow.Start(t.Context(), l, p, 0)
		l.Run()
		for _, run := range []*flow.Running[int]{one, two} {
			if got, err := run.Result(); got != 5 || err != nil {
				t.Errorf("got %d, %v", got, err)
			}
		}
	})
}
