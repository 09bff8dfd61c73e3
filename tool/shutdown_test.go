package tool_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

type closer interface {
	tool.Tool
	Shutdown(ctx context.Context) error
}

func forEachCloser(t *testing.T, test func(t *testing.T, l closer)) {
	t.Helper()
	for name, start := range map[string]func() closer{
		"Loop":   func() closer { return tool.Start(tool.Options{}) },
		"Manual": func() closer { return tool.NewManual(tool.Options{}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, start()) })
		})
	}
}

type run struct {
	tool.Registration
	cause error
}

func (r *run) ready() *tool.Registration {
	r.Stop = func(error) {}
	return &r.Registration
}

const untold = time.Duration(-1) // stands for never

// attach registers a run that ends by itself after own, or after it was told to stop and told has passed.
func attach(t *testing.T, l tool.Tool, own, told time.Duration) *run {
	t.Helper()
	r := &run{}
	detach := func() { l.Host().Detach(&r.Registration) }
	r.Stop = func(cause error) {
		r.cause = cause
		if told != untold {
			mustSchedule(t)(l.Deferred(told, detach))
		}
	}
	if err := l.Host().Attach(&r.Registration); err != nil {
		t.Fatal(err)
	}
	if own != untold {
		mustSchedule(t)(l.Deferred(own, detach))
	}
	return r
}

// Two callers shut the loop down. The registration is told to stop, and both calls return an error.
func TestShutdownOfTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := tool.Start(tool.Options{})
		r := attach(t, l, untold, 3*time.Second)
		var errs [2]error
		var callers sync.WaitGroup
		for i := range errs {
			callers.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+i)*time.Second)
				defer cancel()
				errs[i] = l.Shutdown(ctx)
			})
		}
		callers.Wait()
		for i, err := range errs {
			if !errors.Is(err, tool.ErrShutdown) || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, tool.ErrStuck) {
				t.Errorf("caller %d: %v", i, err)
			}
		}
		if r.cause == nil {
			t.Error("the registration wasn't told to stop")
		}
	})
}

// The test combines the times when a registration ends by itself, the times that it takes to end
// when it is told to stop, and the times when the context ends.
func TestShutdownMatrix(t *testing.T) {
	cause := errors.New("patience ended")
	const second = time.Second
	for _, own := range []time.Duration{second / 2, 3 * second, untold} {
		for _, told := range []time.Duration{0, second, untold} {
			for _, patience := range []time.Duration{0, second, time.Hour} {
				t.Run(fmt.Sprintf("own %v told %v patience %v", own, told, patience), func(t *testing.T) {
					forEachCloser(t, func(t *testing.T, l closer) {
						ctx, cancel := context.WithTimeoutCause(context.Background(), patience, cause)
						defer cancel()
						r := attach(t, l, own, told)
						late := mustSchedule(t)(l.Deferred(24*time.Hour, func() { t.Error("a dropped timer ran") }))
						start := time.Now()
						err := l.Shutdown(ctx)
						took := time.Since(start)

						end, limit := own, patience+tool.ShutdownGrace
						if told != untold && (own == untold || patience+told < own) {
							end = patience + told
						}
						stopped := own == untold || own > patience
						if got := r.cause != nil; got != stopped {
							t.Errorf("told to stop: %v, want %v", got, stopped)
						}
						if stopped && (!errors.Is(r.cause, tool.ErrShutdown) || !errors.Is(r.cause, cause)) {
							t.Errorf("stopped with %v, want ErrShutdown and the context's cause", r.cause)
						}
						switch {
						case end == untold || end > limit:
							if !errors.Is(err, tool.ErrStuck) || !errors.Is(err, cause) || took != limit {
								t.Errorf("after %v: %v; want ErrStuck after %v", took, err, limit)
							}
							l.Host().Detach(&r.Registration) // at last, so that the loop can end
							if err := l.Shutdown(context.Background()); err != nil {
								t.Errorf("second shutdown: %v", err)
							}
						case stopped:
							if !errors.Is(err, tool.ErrShutdown) || !errors.Is(err, cause) || errors.Is(err, tool.ErrStuck) || took != end {
								t.Errorf("after %v: %v; want the cause after %v", took, err, end)
							}
						case err != nil || took != end:
							t.Errorf("after %v: %v; want nil after %v", took, err, end)
						}
						wantClosed(t, l)
						if l.Valid(late) {
							t.Error("a dropped timer is valid")
						}
					})
				})
			}
		}
	}
}

func wantClosed(t *testing.T, l closer) {
	t.Helper()
	if h, err := l.Immediate(func() {}); h != 0 || !errors.Is(err, tool.ErrShutdown) {
		t.Errorf("Immediate after shutdown: handle %d, %v", h, err)
	}
	if h, err := l.Deferred(0, func() {}); h != 0 || !errors.Is(err, tool.ErrShutdown) {
		t.Errorf("Deferred after shutdown: handle %d, %v", h, err)
	}
	if err := l.Host().Attach(&tool.Registration{Stop: func(error) {}}); !errors.Is(err, tool.ErrShutdown) {
		t.Errorf("Attach after shutdown: %v", err)
	}
	if err := l.Shutdown(context.Background()); err != nil {
		t.Errorf("Shutdown again: %v", err)
	}
}

// Without registrations immediates run, timers are dropped, and there is no error, even
// if the context has ended.
func TestShutdownOfAnIdleLoop(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for name, ctx := range map[string]context.Context{"in peace": context.Background(), "at once": ended} {
		t.Run(name, func(t *testing.T) {
			forEachCloser(t, func(t *testing.T, l closer) {
				ran := false
				mustSchedule(t)(l.Immediate(func() { ran = true }))
				mustSchedule(t)(l.Deferred(time.Hour, func() { t.Error("a dropped timer ran") }))
				if err := l.Shutdown(ctx); err != nil {
					t.Errorf("Shutdown: %v", err)
				}
				if !ran {
					t.Error("an immediate was lost")
				}
				wantClosed(t, l)
			})
		})
	}
}

// While a registration lives, callbacks run, so that it can unwind; new registrations are refused.
func TestShutdownServesWhoLives(t *testing.T) {
	forEachCloser(t, func(t *testing.T, l closer) {
		registration := &tool.Registration{Stop: func(error) {}}
		if err := l.Host().Attach(registration); err != nil {
			t.Fatal(err)
		}
		ended := false
		mustSchedule(t)(l.Deferred(time.Second, func() { // by then the shutdown waits
			if err := l.Host().Attach(&tool.Registration{Stop: func(error) {}}); !errors.Is(err, tool.ErrShutdown) {
				t.Errorf("Attach during shutdown: %v", err)
			}
			mustSchedule(t)(l.Immediate(func() {
				mustSchedule(t)(l.Deferred(time.Second, func() {
					l.Host().Detach(registration)
					ended = true
					if _, err := l.Immediate(func() {}); !errors.Is(err, tool.ErrShutdown) {
						t.Errorf("Immediate after the last registration: %v", err)
					}
				}))
			}))
		}))
		if err := l.Shutdown(context.Background()); err != nil || !ended {
			t.Errorf("Shutdown: %v, ended %v", err, ended)
		}
	})
}

func TestShutdownInsideTheLoop(t *testing.T) {
	forEachCloser(t, func(t *testing.T, l closer) {
		inside := make(chan error, 1)
		mustSchedule(t)(l.Immediate(func() { inside <- l.Shutdown(context.Background()) }))
		if m, ok := l.(*tool.Manual); ok {
			for m.Iterate() {
			}
		}
		if err := <-inside; !errors.Is(err, tool.ErrInLoop) {
			t.Errorf("inside: %v", err)
		}
		synctest.Wait()
		wantClosed(t, l)
	})
}

// Each call of Shutdown waits. When the first of the contexts ends, the registrations are told to stop.
func TestShutdownConcurrently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := tool.Start(tool.Options{})
		r := attach(t, l, untold, time.Second)
		start := time.Now()
		var all sync.WaitGroup
		for i := range 5 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i+1)*time.Minute)
				defer cancel()
				err := l.Shutdown(ctx)
				if took := time.Since(start); (err != nil) != (i == 0) || took != time.Minute+time.Second {
					t.Errorf("call %d: %v after %v", i, err, took)
				}
			})
		}
		all.Wait()
		if r.cause == nil {
			t.Error("the registration wasn't told to stop")
		}
	})
}

// Shutdown gives up on a callback that blocks. The loop ends when the callback returns.
func TestShutdownOfABlockedLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := tool.Start(tool.Options{})
		blocked := make(chan struct{})
		mustSchedule(t)(l.Immediate(func() { <-blocked }))
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		start := time.Now()
		err := l.Shutdown(ctx)
		if took := time.Since(start); !errors.Is(err, tool.ErrStuck) || took != time.Second+tool.ShutdownGrace {
			t.Errorf("after %v: %v, want ErrStuck", took, err)
		}
		close(blocked)
		wantClosed(t, l)
	})
}

// Callbacks that go on for ever don't keep Shutdown from telling the registrations to stop.
func TestShutdownOfABusyLoop(t *testing.T) {
	forEachCloser(t, func(t *testing.T, l closer) {
		ctx, cancel := context.WithCancel(t.Context())
		var told atomic.Bool // the goroutine that calls Shutdown sets it
		r := &tool.Registration{Stop: func(error) { told.Store(true) }}
		if err := l.Host().Attach(r); err != nil {
			t.Fatal(err)
		}
		var again func()
		again = func() {
			cancel()
			if told.Load() {
				l.Host().Detach(r)
				return
			}
			mustSchedule(t)(l.Immediate(again))
		}
		mustSchedule(t)(l.Immediate(again))
		if err := l.Shutdown(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Shutdown: %v", err)
		}
	})
}
