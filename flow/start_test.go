package flow_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestStart(t *testing.T) {
	t.Run("O1 only schedules", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, rec.passing("body"), 1)
		rec.Want(t)
		if _, err := run.Result(); !errors.Is(err, flow.ErrRunning) {
			t.Errorf("got %v", err)
		}
		loop.Run()
		rec.Want(t, "body")
		if v, err := plantest.Result(t, run); v != 1 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
	})

	t.Run("O1 nothing runs inside a start by another run", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, step.Func(func(as step.Scope, in int) (int, error) {
			flow.Start(t.Context(), as.Loop(), rec.passing("started"), in)
			rec.Recordf("starter")
			return in, nil
		}), 1)
		loop.Run()
		rec.Want(t, "starter", "started")
		plantest.Result(t, run)
	})

	t.Run("O5 success from outside never runs the next step in the caller", func(t *testing.T) {
		var rec recorder
		var done step.Done[int]
		loop, run := plantest.Start(t, flow.Then(step.New(func(as step.Scope, _ int) step.Next[int] {
			return step.Wait(as, func(d step.Done[int]) { done = d })
		}), rec.passing("next")), 1)
		loop.Run()
		loop.Immediate(func() {
			done.Succeed(1)
			rec.Recordf("completed")
		})
		loop.Run()
		rec.Want(t, "completed", "next")
		plantest.Result(t, run)
	})

	t.Run("O6 observers once each, in order, also late ones", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, step.Delay[int](time.Second), 4)
		tell := func(name string) func(int, error) {
			return func(v int, err error) { rec.Recordf("%s %d %v", name, v, err) }
		}
		run.Then(tell("first"))
		run.Then(tell("second"))
		done := run.Done()
		loop.Run()
		rec.Want(t, "first 4 <nil>", "second 4 <nil>")
		run.Then(tell("late"))
		rec.Want(t, "first 4 <nil>", "second 4 <nil>", "late 4 <nil>")
		<-done
		<-run.Done()
		if v, err := run.Wait(t.Context()); v != 4 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
	})

	t.Run("T3 a panic in an observer is the loop's", func(t *testing.T) {
		loop := tooltest.New()
		run := flow.Start(t.Context(), loop, plantest.Add(1), 1)
		var rec recorder
		run.Then(func(int, error) { panic(errFirst) })
		run.Then(func(v int, _ error) { rec.Recordf("%d", v) })
		loop.Run()
		rec.Want(t, "2")
		if errs := loop.Errors(); len(errs) != 1 || !errors.Is(errs[0], errFirst) {
			t.Errorf("reported: %v", errs)
		}
	})

	t.Run("T3 so is one in an observer that comes late", func(t *testing.T) {
		loop := tooltest.New()
		run := flow.Start(t.Context(), loop, plantest.Add(1), 1)
		loop.Run()
		run.Then(func(int, error) { panic(errFirst) })
		if errs := loop.Errors(); len(errs) != 1 || !errors.Is(errs[0], errFirst) {
			t.Errorf("reported: %v", errs)
		}
		new(flow.Running[int]).Then(func(_ int, err error) { plantest.WantCode(t, err, fault.InvalidRequest) })
	})

	t.Run("Wait gives up with its own context", func(t *testing.T) {
		bubble(t, func(t *testing.T, loop *tool.Loop, _ *errorLog) {
			run := flow.Start(t.Context(), loop, step.Delay[int](time.Second), 4)
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, errFirst)
			defer cancel()
			if _, err := run.Wait(ctx); !errors.Is(err, errFirst) {
				t.Errorf("got %v", err)
			}
			if v, err := run.Wait(t.Context()); v != 4 || err != nil {
				t.Errorf("the run went on: got %d, %v", v, err)
			}
		})
	})

	t.Run("Wait on the run's own loop", func(t *testing.T) {
		bubble(t, func(t *testing.T, loop *tool.Loop, _ *errorLog) {
			other := flow.Start(t.Context(), loop, step.Delay[int](time.Second), 1)
			_, err := flow.Start(t.Context(), loop, step.Func(func(as step.Scope, _ int) (int, error) {
				return other.Wait(as.Context()) //stepvet:ignore Wait refuses
			}), 1).Wait(t.Context())
			if !errors.Is(err, flow.ErrOnLoop) {
				t.Errorf("got %v", err)
			}
			other.Wait(t.Context())
		})
	})

	t.Run("the context's values reach the steps", func(t *testing.T) {
		type key struct{}
		ctx := context.WithValue(context.Background(), key{}, 7)
		read := step.Func(func(as step.Scope, _ int) (int, error) { return as.Context().Value(key{}).(int), nil })
		await := step.Await(func(ctx context.Context, _ int) (int, error) { return ctx.Value(key{}).(int), nil })
		bubble(t, func(t *testing.T, loop *tool.Loop, _ *errorLog) {
			v, err := flow.Start(ctx, loop, sum(flow.Par(read, await)), 1).Wait(t.Context())
			if v != 14 || err != nil {
				t.Errorf("got %d, %v", v, err)
			}
		})
	})

	t.Run("C1 the end of its context cancels", func(t *testing.T) {
		bubble(t, func(t *testing.T, loop *tool.Loop, _ *errorLog) {
			var rec recorder
			ctx, cancel := context.WithCancelCause(t.Context())
			run := flow.Start(ctx, loop, rec.recordError("handler", rec.waitingInt("hook")), 1)
			virtualSleep(time.Second)
			cancel(errFirst)
			_, err := run.Wait(t.Context())
			if e := plantest.WantCode(t, err, fault.Cancelled); !errors.Is(e, errFirst) || !errors.Is(e, context.Canceled) {
				t.Errorf("got %v", err)
			}
			rec.Want(t, "hook")
		})
	})

	t.Run("C3 its context's deadline is a timeout for all of it", func(t *testing.T) {
		bubble(t, func(t *testing.T, loop *tool.Loop, _ *errorLog) {
			var rec recorder
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			began := time.Now()
			_, err := flow.Start(ctx, loop, rec.recordError("handler", rec.waitingInt("hook")), 1).Wait(t.Context())
			if e := plantest.WantCode(t, err, fault.Timeout); !errors.Is(e, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			if took := time.Since(began); took != time.Second {
				t.Errorf("after %v", took)
			}
			rec.Want(t, "hook")
		})
	})

	t.Run("a context that has ended", func(t *testing.T) {
		loop := tooltest.New()
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errFirst)
		_, err := plantest.Result(t, flow.Start(ctx, loop, plantest.Add(1), 1))
		if e := plantest.WantCode(t, err, fault.Cancelled); !errors.Is(e, errFirst) {
			t.Errorf("got %v", err)
		}
		if loop.Pending() != 0 || loop.Host().Live() != 0 {
			t.Error("something was started")
		}
	})

	t.Run("a loop that shuts down", func(t *testing.T) {
		loop := tool.Start(tool.Options{})
		if err := loop.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		run := flow.Start(t.Context(), loop, plantest.Add(1), 1)
		if _, err := plantest.Result(t, run); !errors.Is(err, tool.ErrShutdown) {
			t.Errorf("got %v", err)
		}
		if run.Cancel(nil) {
			t.Error("Cancel reported true")
		}
		<-run.Done()
	})

	t.Run("C1 a loop that shuts down in a hurry cancels", func(t *testing.T) {
		loop := tool.Start(tool.Options{})
		hooked := make(chan struct{})
		run := flow.Start(t.Context(), loop, flow.OnCancel(step.Delay[int](time.Hour), func(step.Scope) { close(hooked) }), 1)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errFirst)
		if err := loop.Shutdown(ctx); !errors.Is(err, errFirst) {
			t.Errorf("shutdown: %v", err)
		}
		_, err := plantest.Result(t, run)
		if e := plantest.WantCode(t, err, fault.Cancelled); !errors.Is(e, tool.ErrShutdown) || !errors.Is(e, errFirst) {
			t.Errorf("got %v", err)
		}
	})
}

// Runs of one plan share no data, though they are spread over loops, and started, awaited and cancelled by many
// goroutines.
func TestStartConcurrently(t *testing.T) {
	group := tool.NewGroup(4, tool.Options{})
	mine := step.NewVar[int]("mine")
	p := flow.Then(flow.Then(
		step.Func(func(as step.Scope, in int) (int, error) {
			if _, found := mine.Get(as); found {
				return 0, errFirst
			}
			mine.Set(as, in)
			return in, nil
		}),
		sum(flow.Par(plantest.Add(1), flow.Then(step.Delay[int](time.Microsecond), plantest.Add(2)), step.Await(func(_ context.Context, in int) (int, error) { return in, nil }))),
	), step.Func(func(as step.Scope, total int) (int, error) {
		in, _ := mine.Get(as)
		return total - 3*in, nil
	}))
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 200 {
				run := flow.Start(t.Context(), group.Next(), p, 1000*g+i)
				cancelled := i%5 == 0 && run.Cancel(errSecond)
				v, err := run.Wait(t.Context())
				switch {
				case cancelled && errors.Is(err, errSecond):
				case err != nil || v != 3 || cancelled:
					t.Errorf("got %d, %v, cancelled %t", v, err, cancelled)
				}
			}
		})
	}
	all.Wait()
	if err := group.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestZeroRunning(t *testing.T) {
	for name, ask := range map[string]func(*flow.Running[int]) error{
		"Wait": func(r *flow.Running[int]) error {
			_, err := r.Wait(t.Context())
			return err
		},
		"Result": func(r *flow.Running[int]) error {
			_, err := r.Result()
			return err
		},
		"Cancel": func(r *flow.Running[int]) error {
			if r.Cancel(nil) {
				t.Error("cancelled")
			}
			_, err := r.Result()
			return err
		},
		"Done": func(r *flow.Running[int]) error {
			<-r.Done()
			_, err := r.Result()
			return err
		},
		"Then": func(r *flow.Running[int]) (err error) {
			r.Then(func(_ int, e error) {
				err = e
				panic("reported, as on every loop")
			})
			return err
		},
	} {
		var r flow.Running[int]
		if err := ask(&r); !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "zero Running") {
			t.Errorf("%s: %v", name, err)
		}
		if r.Cancel(nil) {
			t.Errorf("%s: cancelled", name)
		}
	}
}

// If the methods of a context panic, Wait returns an error and the run goes on.
func TestWaitWithABrokenContext(t *testing.T) {
	loop := tooltest.New()
	var done step.Done[int]
	run := flow.Start(t.Context(), loop, step.New(func(as step.Scope, _ int) step.Next[int] {
		return step.Wait(as, func(d step.Done[int]) { done = d })
	}), 0)
	loop.Run()
	ended := make(chan struct{})
	close(ended)
	for name, ctx := range map[string]context.Context{
		"Done": &userContext{Context: t.Context(), done: ended, asked: func() { panic("no channel") }},
		"Err":  &userContext{Context: t.Context(), done: ended, err: func() error { panic("no error") }},
	} {
		if _, err := run.Wait(ctx); err == nil || errors.Is(err, flow.ErrRunning) {
			t.Errorf("%s: the wait ended with %v", name, err)
		}
	}
	done.Succeed(1)
	loop.Run()
	if got, err := run.Result(); got != 1 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
}
