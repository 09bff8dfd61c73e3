package flow_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func storeLoop(kept *tool.Tool, waits bool) step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		*kept = as.Loop()
		if waits {
			return step.Into(as, step.Delay[int](1), in)
		}
		return step.Succeed(in)
	})
}

type loopStealer struct{ kept *tool.Tool }

func (g loopStealer) Enter(t *syncx.Ticket) (bool, error) {
	*g.kept = t.Loop()
	return true, nil
}
func (loopStealer) Leave(*syncx.Ticket)    {}
func (loopStealer) Withdraw(*syncx.Ticket) {}

// The private loop of a flow.Run refuses work after that run has ended, also while the same goroutine drives other
// runs of flow.Run.
func TestPrivateLoopEndsWithItsRun(t *testing.T) {
	for _, c := range []struct {
		name string
		plan func(kept *tool.Tool) step.Step[int, int]
	}{
		{"a body keeps it", func(kept *tool.Tool) step.Step[int, int] { return storeLoop(kept, false) }},
		{"a body keeps it and waits", func(kept *tool.Tool) step.Step[int, int] { return storeLoop(kept, true) }},
		{"a guard keeps it", func(kept *tool.Tool) step.Step[int, int] { return syncx.Sync(loopStealer{kept}, plantest.Add(0)) }},
		{"its run fails", func(kept *tool.Tool) step.Step[int, int] {
			return flow.Then(storeLoop(kept, true), failAfter(1, errFirst))
		}},
		{"a run is started on it", func(kept *tool.Tool) step.Step[int, int] {
			return flow.Then(storeLoop(kept, true), step.Func(func(as step.Scope, in int) (int, error) {
				flow.Start(context.Background(), as.Loop(), step.Delay[int](time.Hour), in)
				return in, nil
			}))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 10 { // runs that may use the pooled memory again
				var kept tool.Tool
				_, _ = flow.Run(t.Context(), c.plan(&kept), 1)
				wantRefused(t, kept)
				_, err := flow.Run(t.Context(), flow.Then(step.Delay[int](1), step.Func(func(as step.Scope, in int) (int, error) {
					wantRefused(t, kept)
					return in, nil
				})), 1)
				if err != nil {
					t.Errorf("another run: %v", err)
				}
			}
		})
	}
}

func wantRefused(t *testing.T, loop tool.Tool) {
	t.Helper()
	fn := func() { t.Error("a callback runs after the run whose loop it was queued on") }
	if _, err := loop.Immediate(fn); !errors.Is(err, tool.ErrShutdown) {
		t.Errorf("Immediate: %v", err)
	}
	if _, err := loop.Deferred(0, fn); !errors.Is(err, tool.ErrShutdown) {
		t.Errorf("Deferred: %v", err)
	}
	if err := loop.Host().Attach(&tool.Registration{Stop: func(error) {}}); !errors.Is(err, tool.ErrShutdown) {
		t.Errorf("Attach: %v", err)
	}
	body := step.Map(func(in int) int { fn(); return in })
	if _, err := flow.Start(context.Background(), loop, body, 1).Result(); !errors.Is(err, tool.ErrShutdown) {
		t.Errorf("Start: %v", err)
	}
	if loop.Host().Stop(errSecond); loop.Host().Live() != 0 {
		t.Error("somebody lives on it")
	}
}

// O6: a run that another goroutine starts on a private loop just when the loop ends has a result.
func TestPrivateLoopEndsUnderStarts(t *testing.T) {
	for range 200 {
		var starter sync.WaitGroup
		_, err := flow.Run(t.Context(), step.Func(func(as step.Scope, in int) (int, error) {
			loop, ready := as.Loop(), make(chan struct{})
			starter.Go(func() {
				close(ready)
				for range 100 {
					if _, err := flow.Start(t.Context(), loop, step.Delay[int](time.Hour), 1).Wait(t.Context()); err == nil {
						t.Error("a run has outlived its loop")
					}
				}
			})
			<-ready //stepvet:ignore the loop stands still while others look at it
			return in, nil
		}), 1)
		if err != nil {
			t.Error(err)
		}
		starter.Wait()
	}
}

// An immediate that a private loop has accepted is executed, at the latest when its run ends.
func TestPrivateLoopKeepsItsWord(t *testing.T) {
	ran := 0
	_, err := flow.Run(t.Context(), step.Func(func(as step.Scope, in int) (int, error) {
		_, err := as.Loop().Immediate(func() { ran++ })
		return in, err
	}), 1)
	if err != nil || ran != 1 {
		t.Errorf("%v, it ran %d times", err, ran)
	}
}

// T2: handles of a private loop are invalid once its run has ended.
func TestT2HandlesOfAPrivateLoop(t *testing.T) {
	var kept tool.Tool
	var left tool.Handle
	_, err := flow.Run(t.Context(), flow.Then(step.Delay[int](1), step.Func(func(as step.Scope, in int) (int, error) {
		kept = as.Loop()
		var other sync.WaitGroup
		other.Go(func() {
			if kept.InLoop() {
				t.Error("another goroutine is taken for that of the loop")
			}
		})
		other.Wait() //stepvet:ignore the loop stands still while others look at it
		h, err := kept.Deferred(time.Hour, func() { t.Error("a cancelled timer fires") })
		if err != nil || !kept.InLoop() || !kept.Valid(h) || !kept.Cancel(h) || kept.Valid(h) || kept.Cancel(h) {
			t.Error("a handle is valid until it is cancelled, once, by the goroutine of the loop")
		}
		left, err = kept.Deferred(time.Hour, func() { t.Error("a timer fires after the run") })
		return in, err
	})), 1)
	if err != nil {
		t.Error(err)
	}
	if kept.InLoop() || kept.Valid(left) || kept.Cancel(left) {
		t.Error("a handle is valid after the run")
	}
}

// C1: a step that ends the goroutine of flow.Run cancels the run: no handler is called, and no step follows.
func TestC1GoexitCancelsItsRun(t *testing.T) {
	var rec recorder
	var own sync.WaitGroup
	own.Go(func() {
		_, _ = flow.Run(t.Context(), flow.Then(rec.recordError("handler", flow.Then(step.Delay[int](1), step.Func(func(as step.Scope, in int) (int, error) {
			runtime.Goexit()
			return in, nil
		}))), rec.passing("next")), 1)
		rec.Recordf("went on")
	})
	own.Wait()
	rec.Want(t)
}

// T3: a panic of a context when a run starts is reported to the loop of that run.
func TestT3BrokenContextIsReportedToTheLoop(t *testing.T) {
	loop := tooltest.New()
	ctx := &userContext{Context: t.Context(), asked: func() { panic(errFirst) }}
	if _, err := flow.Start(ctx, loop, plantest.Add(1), 1).Result(); err == nil {
		t.Error("it has run")
	}
	loop.Run()
	if errs := loop.Errors(); len(errs) == 0 || !errors.Is(errs[0], errFirst) {
		t.Errorf("reported: %v", errs)
	}
}

// quittingContext is a context whose Value ends the goroutine once, after the context has ended.
type quittingContext struct {
	context.Context
	left bool
}

func (c *quittingContext) Value(key any) any {
	if c.Err() != nil && !c.left {
		c.left = true
		runtime.Goexit()
	}
	return c.Context.Value(key)
}

// If the context of flow.Run ends its goroutine while the loop sleeps, hooks still run on the loop's goroutine.
func TestHooksAreInTheLoopAfterGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		called, in := false, false
		waits := step.New(func(as step.Scope, _ int) step.Next[int] {
			loop := as.Loop()
			as.SetCancel(func() { called, in = true, loop.InLoop() })
			return step.Wait[int](as, nil)
		})
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			_, _ = flow.Run(&quittingContext{Context: ctx}, waits, 0)
		}()
		synctest.Wait()
		cancel()
		<-gone
		if !called || !in {
			t.Errorf("the hook was called %t, in the loop %t", called, in)
		}
	})
}
