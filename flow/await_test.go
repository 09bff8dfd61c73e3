package flow_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestAwait(t *testing.T) {
	run := func(t *testing.T, s step.Step[int, int]) (v int, err error) {
		t.Helper()
		bubble(t, func(t *testing.T, loop *tool.Loop, reported *errorLog) {
			v, err = flow.Start(t.Context(), loop, s, 1).Wait(t.Context())
			if errs := reported.all(); len(errs) != 0 {
				t.Errorf("reported: %v", errs)
			}
		})
		return v, err
	}

	t.Run("value", func(t *testing.T) {
		v, err := run(t, step.Await(func(_ context.Context, in int) (int, error) {
			virtualSleep(time.Second)
			return in + 1, nil
		}))
		if v != 2 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
	})
	t.Run("error", func(t *testing.T) {
		_, err := run(t, step.Await(func(context.Context, int) (int, error) { return 0, errFirst }))
		if e := plantest.WantCode(t, err, errFirst.Code); e.Path != "0" {
			t.Errorf("path %q", e.Path)
		}
	})
	t.Run("E4 panic", func(t *testing.T) {
		_, err := run(t, step.Await(func(context.Context, int) (int, error) { panic(errSecond) }))
		e := plantest.WantCode(t, err, fault.InternalError)
		p, ok := errors.AsType[*fault.Panic](e)
		if !ok || p.Value != error(errSecond) || !strings.Contains(string(p.Stack), "await_test.go") || e.Info != "the body panicked" {
			t.Errorf("got %v", e)
		}
	})
	t.Run("E4 Goexit", func(t *testing.T) {
		_, err := run(t, step.Await(func(context.Context, int) (int, error) { runtime.Goexit(); return 0, nil }))
		if e := plantest.WantCode(t, err, fault.InternalError); e.Info != "the body ended its goroutine" {
			t.Errorf("got %v", e)
		}
	})
	t.Run("its context ends with it", func(t *testing.T) {
		var kept context.Context
		_, err := run(t, step.Await(func(ctx context.Context, _ int) (int, error) { kept = ctx; return 0, ctx.Err() }))
		if err != nil || kept.Err() == nil {
			t.Errorf("got %v, %v", err, kept.Err())
		}
	})
	t.Run("the loop goes on meanwhile", func(t *testing.T) {
		blocked := make(chan struct{})
		v, err := run(t, sum(flow.Par(
			step.Await(func(_ context.Context, in int) (int, error) { <-blocked; return in, nil }),
			step.Map(func(in int) int { close(blocked); return in }))))
		if v != 2 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
	})
}

// C7: a step is left while its goroutine is still working.
func TestAwaitLeft(t *testing.T) {
	for _, c := range []struct {
		name  string
		wrap  func(step.Step[int, int]) step.Step[int, int]
		stop  bool
		cause error
	}{
		{"timeout", func(s step.Step[int, int]) step.Step[int, int] { return flow.Timeout(time.Second, s) }, false, fault.Timeout},
		{"timeout further out", func(s step.Step[int, int]) step.Step[int, int] {
			return flow.Timeout(time.Second, flow.Then(plantest.Add(0), sum(flow.Par(s))))
		}, false, fault.Timeout},
		{"cancel", func(s step.Step[int, int]) step.Step[int, int] { return s }, true, errFirst},
		{"sibling", func(s step.Step[int, int]) step.Step[int, int] {
			return sum(flow.Par(s, failAfter(time.Second, errFirst)))
		}, false, errFirst},
	} {
		for _, linger := range []time.Duration{0, tool.DefaultGrace / 2, tool.DefaultGrace - 1, 3 * tool.DefaultGrace} {
			t.Run(c.name+" "+linger.String(), func(t *testing.T) {
				bubble(t, func(t *testing.T, loop *tool.Loop, reported *errorLog) {
					began := time.Now()
					var rec recorder
					returned := make(chan struct{})
					s := step.Await(func(ctx context.Context, in int) (int, error) {
						defer close(returned)
						<-ctx.Done()
						if at := time.Since(began); at != time.Second {
							t.Errorf("told to stop after %v", at)
						}
						if !errors.Is(context.Cause(ctx), c.cause) {
							t.Errorf("told to stop by %v", context.Cause(ctx))
						}
						virtualSleep(linger)
						return in, errSecond // this error is lost
					})
					hooked := flow.OnCancel(s, func(step.Scope) { rec.Recordf("left after %v", time.Since(began)) })
					run := flow.Start(t.Context(), loop, c.wrap(rec.recordError("inner", hooked)), 1)
					if c.stop {
						virtualSleep(time.Second)
						run.Cancel(errFirst)
					}
					_, err := run.Wait(t.Context())
					if !errors.Is(err, c.cause) || errors.Is(err, errSecond) {
						t.Errorf("got %v", err)
					}
					grace := min(linger, tool.DefaultGrace)
					rec.Want(t, "left after "+(time.Second+grace).String())
					wantAbandoned(t, err, reported.all(), linger > tool.DefaultGrace)
					<-returned
					synctest.Wait() // the late return of the goroutine must change nothing
					wantAbandoned(t, err, reported.all(), linger > tool.DefaultGrace)
				})
			})
		}
	}
}

// wantAbandoned checks that a goroutine left behind is reported to the loop and in the error, and that nothing is
// reported if abandoned is false.
func wantAbandoned(t *testing.T, err error, reported []error, abandoned bool) {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	want := 0
	if abandoned {
		want = 1
	}
	if len(reported) != want || len(e.Secondary) != want {
		t.Fatalf("reported %v, secondary %v, want %d of each", reported, e.Secondary, want)
	}
	for _, err := range append(reported, e.Secondary...) {
		if !errors.Is(err, fault.InternalError) || !strings.Contains(err.Error(), "goroutine") {
			t.Errorf("got %v", err)
		}
	}
}

// C7: a goroutine that was left behind can't change the memory of its step, which other runs use.
func TestAwaitAbandonedIsForgotten(t *testing.T) {
	bubble(t, func(t *testing.T, loop *tool.Loop, reported *errorLog) {
		free := make(chan chan struct{}, 1)
		ignorant := step.Await(func(_ context.Context, in int) (int, error) {
			if in >= 0 {
				return in, nil
			}
			stuck := make(chan struct{})
			free <- stuck
			<-stuck
			return 666, nil
		})
		p := flow.Timeout(time.Second, ignorant)
		for i := range 10 {
			_, err := flow.Start(t.Context(), loop, p, -1).Wait(t.Context())
			plantest.WantCode(t, err, fault.Timeout)
			running := flow.Start(t.Context(), loop, flow.Then(p, step.Delay[int](time.Millisecond)), i)
			close(<-free)
			if v, err := running.Wait(t.Context()); v != i || err != nil {
				t.Errorf("got %d, %v", v, err)
			}
			if v, err := flow.Start(t.Context(), loop, p, i).Wait(t.Context()); v != i || err != nil {
				t.Errorf("got %d, %v", v, err)
			}
		}
		if n := len(reported.all()); n != 10 {
			t.Errorf("%d reports", n)
		}
	})
}

func TestAwaitChan(t *testing.T) {
	await := func(ch chan int) flow.Plan[int, int] {
		return flow.AwaitChan(func(context.Context, int) <-chan int { return ch })
	}
	t.Run("value", func(t *testing.T) {
		ch := make(chan int, 1)
		ch <- 7
		if v, err := flow.Run(t.Context(), await(ch), 1); v != 7 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
	})
	t.Run("closed", func(t *testing.T) {
		ch := make(chan int)
		close(ch)
		if _, err := flow.Run(t.Context(), await(ch), 1); !errors.Is(err, flow.ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("C7 left", func(t *testing.T) {
		bubble(t, func(t *testing.T, loop *tool.Loop, reported *errorLog) {
			for _, ch := range []chan int{nil, make(chan int)} {
				began := time.Now()
				_, err := flow.Start(t.Context(), loop, flow.Timeout(time.Second, await(ch)), 1).Wait(t.Context())
				plantest.WantCode(t, err, fault.Timeout)
				if took := time.Since(began); took != time.Second {
					t.Errorf("took %v", took)
				}
			}
			if errs := reported.all(); len(errs) != 0 {
				t.Errorf("reported: %v", errs)
			}
		})
	})
	t.Run("nil", func(t *testing.T) {
		if err := flow.AwaitChan[int, int](nil).Err(); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("got %v", err)
		}
	})
}

func TestAwaitRun(t *testing.T) {
	t.Run("value and error, from the same loop and from another", func(t *testing.T) {
		bubble(t, func(t *testing.T, loop *tool.Loop, _ *errorLog) {
			other := tool.Start(tool.Options{})
			defer other.Shutdown(context.Background())
			for _, there := range []*tool.Loop{loop, other} {
				await := func(s step.Step[int, int]) flow.Plan[int, int] {
					return flow.AwaitRun(func(ctx context.Context, in int) *flow.Running[int] { return flow.Start(ctx, there, s, in) })
				}
				if v, err := flow.Start(t.Context(), loop, await(flow.Then(step.Delay[int](time.Second), plantest.Add(1))), 1).Wait(t.Context()); v != 2 || err != nil {
					t.Errorf("got %d, %v", v, err)
				}
				_, err := flow.Start(t.Context(), loop, await(failAfter(time.Second, errFirst)), 1).Wait(t.Context())
				if !errors.Is(err, errFirst) {
					t.Errorf("got %v", err)
				}
				// a run that has ended before the step waits for it
				if v, err := flow.Start(t.Context(), loop, flow.AwaitRun(func(context.Context, int) *flow.Running[int] {
					return flow.Start(t.Context(), there, flow.Plan[int, int]{}, 1)
				}), 1).Wait(t.Context()); !errors.Is(err, fault.InvalidRequest) {
					t.Errorf("got %d, %v", v, err)
				}
			}
		})
	})
	t.Run("cancels the other run, and doesn't wait for its end", func(t *testing.T) {
		bubble(t, func(t *testing.T, loop *tool.Loop, _ *errorLog) {
			var other *flow.Running[int]
			began := time.Now()
			p := flow.Timeout(time.Second, flow.AwaitRun(func(ctx context.Context, in int) *flow.Running[int] {
				other = flow.Start(ctx, loop, stopsAfter(500*time.Millisecond), in)
				return other
			}))
			_, err := flow.Start(t.Context(), loop, p, 1).Wait(t.Context())
			plantest.WantCode(t, err, fault.Timeout)
			if took := time.Since(began); took != time.Second {
				t.Errorf("took %v", took)
			}
			_, err = other.Wait(t.Context())
			if e := plantest.WantCode(t, err, fault.Cancelled); !errors.Is(e, fault.Timeout) {
				t.Errorf("the reason is missing: %v", err)
			}
			if took := time.Since(began); took != 1500*time.Millisecond {
				t.Errorf("took %v", took)
			}
		})
	})
	t.Run("no run", func(t *testing.T) {
		_, err := plantest.Run(t, flow.AwaitRun(func(context.Context, int) *flow.Running[int] { return nil }), 1)
		if e := plantest.WantCode(t, err, fault.InternalError); !strings.Contains(e.Info, "returned no run") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("nil", func(t *testing.T) {
		if err := flow.AwaitRun[int, int](nil).Err(); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("got %v", err)
		}
	})
}
