package flow_test

import (
	"context"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type bookings struct{ booked int }

// books returns an Undo that books one more after s.
func (a *bookings) books(s step.Step[int, int]) step.Step[int, int] {
	add := func(by int) step.Step[int, int] {
		return step.Map(func(in int) int {
			a.booked += by
			return in
		})
	}
	return flow.Undo(flow.Then(s, add(1)), add(-1))
}

// K5: a cancel that is accepted while the last step of a saga executes undoes what the saga has done.
func TestK5CancelInTheLastStep(t *testing.T) {
	mutex := syncx.NewMutex(1, 0)
	around := map[string]func(step.Step[int, int]) step.Step[int, int]{
		"alone":            func(s step.Step[int, int]) step.Step[int, int] { return s },
		"under a handler":  func(s step.Step[int, int]) step.Step[int, int] { return flow.Catch(s, nobody) },
		"under a limit":    func(s step.Step[int, int]) step.Step[int, int] { return flow.Timeout(time.Hour, s) },
		"named":            func(s step.Step[int, int]) step.Step[int, int] { return flow.Named("order", s) },
		"under a retry":    func(s step.Step[int, int]) step.Step[int, int] { return retry.Of(retry.Policy{}, s) },
		"in a saga":        func(s step.Step[int, int]) step.Step[int, int] { return flow.Saga(s) },
		"in a branch":      func(s step.Step[int, int]) step.Step[int, int] { return sum[int](flow.Par(plantest.Add(1), s)) },
		"in a race":        func(s step.Step[int, int]) step.Step[int, int] { return flow.First(s) },
		"inside of a lock": func(s step.Step[int, int]) step.Step[int, int] { return syncx.Sync(mutex, s) },
		"lingering":        func(s step.Step[int, int]) step.Step[int, int] { return flow.Linger(time.Minute, s) },
		"before a step":    func(s step.Step[int, int]) step.Step[int, int] { return flow.Then(s, plantest.Add(1)) },
	}
	for name, wrap := range around {
		t.Run(name, func(t *testing.T) {
			for what, last := range map[string]func(*bookings, step.Step[int, int]) step.Step[int, int]{
				"a step": func(a *bookings, s step.Step[int, int]) step.Step[int, int] {
					return flow.Then(a.books(plantest.Add(1)), s)
				},
				"a do": func(a *bookings, s step.Step[int, int]) step.Step[int, int] { return a.books(s) },
			} {
				var a bookings
				var run *flow.Running[int]
				accepted := false
				cancels := step.Map(func(in int) int {
					accepted = run.Cancel(errFirst)
					return in
				})
				loop := tooltest.New()
				run = flow.Start(t.Context(), loop, wrap(flow.Saga(last(&a, cancels))), 1)
				loop.Run()
				_, err := run.Result()
				if plantest.WantCode(t, err, fault.Cancelled); a.booked != 0 || !accepted {
					t.Errorf("in %s: %d booked, accepted: %t", what, a.booked, accepted)
				}
			}
		})
	}
}

// K5, O6: the success of a saga that completes the run decides the result: a later cancel is refused.
func TestK5CancelAfterTheSaga(t *testing.T) {
	var run *flow.Running[int]
	accepted := true
	cleans := func(s step.Step[int, int]) step.Step[int, int] { // cancels when s has succeeded
		return step.New(func(as step.Scope, in int) step.Next[int] {
			step.StackCleanup(as, func(*int) { accepted = run.Cancel(errFirst) })
			return step.Into(as, s, in)
		})
	}
	t.Run("nothing follows", func(t *testing.T) {
		for name, wrap := range map[string]func(step.Step[int, int]) step.Step[int, int]{
			"alone":     func(s step.Step[int, int]) step.Step[int, int] { return s },
			"lingering": func(s step.Step[int, int]) step.Step[int, int] { return flow.Linger(time.Minute, s) },
			"in a lock": func(s step.Step[int, int]) step.Step[int, int] { return syncx.Sync(syncx.NewMutex(1, 0), s) },
		} {
			var a bookings
			accepted = true
			loop := tooltest.New()
			run = flow.Start(t.Context(), loop, cleans(wrap(flow.Saga(a.books(plantest.Add(1))))), 1)
			loop.Run()
			if v, err := run.Result(); v != 2 || err != nil || accepted || a.booked != 1 {
				t.Errorf("%s: %d, %v, accepted: %t, %d booked", name, v, err, accepted, a.booked)
			}
		}
	})
	t.Run("a step follows", func(t *testing.T) {
		var a bookings
		var rec recorder
		loop := tooltest.New()
		run = flow.Start(t.Context(), loop, flow.Then(cleans(flow.Saga(a.books(plantest.Add(1)))), rec.passing("never")), 1)
		loop.Run()
		_, err := run.Result()
		if plantest.WantCode(t, err, fault.Cancelled); a.booked != 1 {
			t.Errorf("%d booked", a.booked)
		}
		rec.Want(t)
	})
	t.Run("a loop goes on", func(t *testing.T) {
		var a bookings
		rounds := 0
		again := flow.Then(step.Map(func(it loopx.Iteration[int]) int { rounds++; return it.Carry }), cleans(flow.Saga(a.books(plantest.Add(1)))))
		loop := tooltest.New()
		run = flow.Start(t.Context(), loop, loopx.Repeat(5, again), 1)
		loop.Run()
		_, err := run.Result()
		if plantest.WantCode(t, err, fault.Cancelled); a.booked != 1 || rounds != 1 {
			t.Errorf("%d booked in %d rounds", a.booked, rounds)
		}
	})
	t.Run("a step that waits follows", func(t *testing.T) {
		var a bookings
		loop := tooltest.New()
		run = flow.Start(t.Context(), loop, flow.Then(flow.Saga(a.books(plantest.Add(1))), step.Delay[int](time.Hour)), 1)
		loop.Advance(time.Minute)
		if !run.Cancel(nil) {
			t.Error("the cancel was refused")
		}
		loop.Run()
		_, err := run.Result()
		plantest.WantCode(t, err, fault.Cancelled)
	})
	t.Run("in a shield", func(t *testing.T) { // the saga doesn't notice the cancel, which acts after the shield
		var a bookings
		cancels := step.Map(func(in int) int { run.Cancel(nil); return in })
		loop := tooltest.New()
		run = flow.Start(t.Context(), loop, flow.Shield(flow.Saga(flow.Then(a.books(plantest.Add(1)), cancels))), 1)
		loop.Run()
		_, err := run.Result()
		if plantest.WantCode(t, err, fault.Cancelled); a.booked != 1 || len(loop.Errors()) > 0 {
			t.Errorf("%d booked, reported %v", a.booked, loop.Errors())
		}
	})
}

// K5: a cancel by another goroutine, or the end of the context, comes at any moment. Either the run succeeds, or
// what it has booked is undone.
func TestK5CancelFromElsewhere(t *testing.T) {
	loop := tool.Start(tool.Options{})
	defer loop.Shutdown(context.Background())
	for i := range 300 {
		var a bookings
		begun := make(chan struct{})
		s := flow.Saga(flow.Then(a.books(plantest.Add(1)), step.Map(func(in int) int {
			close(begun)
			for range i * 10 { // so that the cancel comes at another moment each time
				in++
			}
			return in
		})))
		ctx, cancel := context.WithCancelCause(t.Context())
		switch i % 3 {
		case 0:
			go func() {
				<-begun
				cancel(errFirst)
			}()
			_, err := flow.Run(ctx, s, 1)
			wantBooked(t, a, err)
		case 1:
			go func() {
				<-begun
				cancel(errFirst)
			}()
			_, err := flow.Start(ctx, loop, s, 1).Wait(context.Background())
			wantBooked(t, a, err)
		default:
			run := flow.Start(t.Context(), loop, s, 1)
			<-begun
			accepted := run.Cancel(errFirst)
			_, err := run.Wait(t.Context())
			if wantBooked(t, a, err); accepted != (err != nil) {
				t.Errorf("accepted: %t, and the run ended with %v", accepted, err)
			}
		}
		cancel(nil)
	}
}

func wantBooked(t *testing.T, a bookings, err error) {
	t.Helper()
	if want := map[bool]int{true: 1}[err == nil]; a.booked != want {
		t.Errorf("%d booked, and the run ended with %v", a.booked, err)
	}
}

func TestK5ContextEndsInTheLastStep(t *testing.T) {
	var a bookings
	ctx, cancel := context.WithCancel(t.Context())
	_, err := flow.Run(ctx, flow.Saga(flow.Then(a.books(plantest.Add(1)), step.Map(func(in int) int { cancel(); return in }))), 1)
	plantest.WantCode(t, err, fault.Cancelled)
	wantBooked(t, a, err)
}
