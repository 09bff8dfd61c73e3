package flow_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestRun(t *testing.T) {
	t.Run("O1 on the caller's goroutine", func(t *testing.T) {
		// another goroutine would be reported as a leak while the body runs
		leaktest.Check(t)
		v, err := flow.Run(t.Context(), flow.Then(plantest.Add(1), step.Map(func(in int) int {
			leaktest.Check(t)
			return in * 2
		})), 3)
		if v != 8 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
	})

	t.Run("an error with its place", func(t *testing.T) {
		_, err := flow.Run(t.Context(), flow.Then(plantest.Add(1), flow.Named("broken", step.Func(fail))), 3)
		if e := plantest.WantCode(t, err, errFirst.Code); e.Path != "1" || e.Name != "broken" || !errors.Is(e, errFirst) {
			t.Errorf("got %+v", e)
		}
	})

	t.Run("timers, waits and goroutines", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			p := flow.Then(step.Delay[int](time.Second), flow.Then(flow.Timeout(time.Minute, step.Await(func(_ context.Context, in int) (int, error) {
				virtualSleep(time.Second)
				return in, nil
			})), sum(flow.Par(step.Delay[int](time.Second), step.Delay[int](2*time.Second)))))
			for i := range 3 { // later runs may use the same loop
				if v, err := flow.Run(t.Context(), p, i); v != 2*i || err != nil {
					t.Errorf("got %d, %v", v, err)
				}
			}
			if took := time.Since(began); took != 12*time.Second {
				t.Errorf("took %v", took)
			}
		})
	})

	t.Run("C1 cancelled by its context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var rec recorder
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(errFirst) })
			_, err := flow.Run(ctx, rec.recordError("handler", rec.waitingInt("hook")), 1)
			if e := plantest.WantCode(t, err, fault.Cancelled); !errors.Is(e, errFirst) || !errors.Is(e, context.Canceled) {
				t.Errorf("got %v", err)
			}
			rec.Want(t, "hook")
		})
	})

	t.Run("C1 cancelled while it is busy", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		n := 0
		var forever step.Step[int, int]
		forever = step.New(func(as step.Scope, in int) step.Next[int] {
			if n++; n == 100 {
				cancel(errFirst)
			}
			return step.Into(as, forever, in)
		})
		_, err := flow.Run(ctx, forever, 1)
		if e := plantest.WantCode(t, err, fault.Cancelled); !errors.Is(e, errFirst) {
			t.Errorf("got %v", err)
		}
	})

	t.Run("C3 its context's deadline", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var rec recorder
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errFirst)
			defer cancel()
			_, err := flow.Run(ctx, rec.recordError("handler", rec.waitingInt("hook")), 1)
			if e := plantest.WantCode(t, err, fault.Timeout); !errors.Is(e, context.DeadlineExceeded) || !errors.Is(e, errFirst) {
				t.Errorf("got %v", err)
			}
			rec.Want(t, "hook")
		})
	})

	t.Run("a context that has ended", func(t *testing.T) {
		var rec recorder
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errFirst)
		_, err := flow.Run(ctx, rec.passing("body"), 1)
		if e := plantest.WantCode(t, err, fault.Cancelled); !errors.Is(e, errFirst) {
			t.Errorf("got %v", err)
		}
		late, cancel2 := context.WithDeadline(t.Context(), time.Now().Add(-1))
		defer cancel2()
		_, err = flow.Run(late, rec.passing("body"), 1)
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t)
	})

	t.Run("C7 it ends when its goroutines have", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			_, err := flow.Run(t.Context(), flow.Timeout(time.Second, stopsAfter(tool.DefaultGrace/2)), 1)
			plantest.WantCode(t, err, fault.Timeout)
			if took := time.Since(began); took != time.Second+tool.DefaultGrace/2 {
				t.Errorf("took %v", took)
			}
		})
	})

	t.Run("runs inside a body", func(t *testing.T) {
		inner := flow.Then(step.Delay[int](time.Microsecond), plantest.Add(1))
		v, err := flow.Run(t.Context(), step.Func(func(as step.Scope, in int) (int, error) {
			return flow.Run(as.Context(), inner, in) //stepvet:ignore a run inside a body is allowed, if unwise
		}), 1)
		if v != 2 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
	})

	t.Run("from many goroutines", func(t *testing.T) {
		p := flow.Then(sum(flow.Par(plantest.Add(1), flow.Then(step.Delay[int](time.Microsecond), plantest.Add(2)))), plantest.Add(3))
		var all sync.WaitGroup
		for g := range 8 {
			all.Go(func() {
				for i := range 100 {
					in := 1000*g + i
					if v, err := flow.Run(t.Context(), p, in); v != 2*in+6 || err != nil {
						t.Errorf("got %d, %v", v, err)
					}
				}
			})
		}
		all.Wait()
	})
}

// A body that ends its goroutine, as t.FailNow does, ends the caller of Run after hooks and cleanups.
func TestRunGoexit(t *testing.T) {
	for _, c := range []struct {
		name string
		body func(*recorder) step.Step[int, int]
	}{
		{"at once", func(*recorder) step.Step[int, int] {
			return step.Map(func(int) int { runtime.Goexit(); return 0 })
		}},
		{"after a wait", func(*recorder) step.Step[int, int] {
			return flow.Then(step.Delay[int](time.Microsecond), step.Map(func(int) int { runtime.Goexit(); return 0 }))
		}},
		{"beside a branch", func(rec *recorder) step.Step[int, int] {
			return sum(flow.Par(rec.waitingInt("sibling"), flow.Then(step.Delay[int](time.Microsecond), step.Map(func(int) int { runtime.Goexit(); return 0 }))))
		}},
		{"in a hook", func(*recorder) step.Step[int, int] {
			return flow.OnCancel(step.Func(fail), func(step.Scope) { runtime.Goexit() })
		}},
		{"and again in each hook", func(*recorder) step.Step[int, int] {
			exits := flow.OnCancel(step.Map(func(int) int { runtime.Goexit(); return 0 }), func(step.Scope) { runtime.Goexit() })
			return flow.OnCancel(exits, func(step.Scope) { runtime.Goexit() })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rec recorder
			p := step.New(func(as step.Scope, in int) step.Next[int] {
				step.StackCleanup(as, func(*int) { rec.Recordf("cleanup") })
				as.SetCancel(func() { rec.Recordf("hook") })
				return step.Into(as, c.body(&rec), in)
			})
			returned := false
			done := make(chan struct{})
			go func() {
				defer close(done)
				flow.Run(context.Background(), p, 1)
				returned = true
			}()
			<-done
			if returned {
				t.Error("Run returned")
			}
			want := []string{"hook", "cleanup"}
			if c.name == "beside a branch" {
				want = []string{"sibling", "hook", "cleanup"}
			}
			rec.Want(t, want...)
			plantest.WantResult(t, plantest.Add(1), 1, 2) // the machine still works
		})
	}
}

func TestRunOwnLoop(t *testing.T) {
	t.Run("O6 runs that were started on it end with it", func(t *testing.T) {
		var rec recorder
		var other *flow.Running[int]
		v, err := flow.Run(t.Context(), step.Func(func(as step.Scope, in int) (int, error) {
			other = flow.Start(t.Context(), as.Loop(), rec.waitingInt("hook"), in)
			return in, nil
		}), 1)
		if v != 1 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
		_, err = plantest.Result(t, other)
		plantest.WantCode(t, err, fault.Cancelled)
	})
	t.Run("a step can neither drive nor end it", func(t *testing.T) {
		_, err := flow.Run(t.Context(), step.Func(func(as step.Scope, in int) (int, error) {
			loop := as.Loop()
			if _, ok := loop.(interface {
				Shutdown(ctx context.Context) error
			}); ok {
				t.Error("it can be shut down")
			}
			if _, ok := loop.(interface{ Iterate() bool }); ok {
				t.Error("it can be driven")
			}
			if _, ok := loop.(interface{ Reset() error }); ok {
				t.Error("it can be reset")
			}
			return in, nil
		}), 1)
		if err != nil {
			t.Error(err)
		}
	})
}
