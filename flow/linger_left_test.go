package flow_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// P10: in a lingering part a panic, an error of a release, and a goroutine that is left behind are
// reported; ordinary errors are lost.
func TestP10LingerGoesWrong(t *testing.T) {
	await := func(how func()) step.Step[int, int] {
		return step.Await(func(ctx context.Context, in int) (int, error) {
			<-ctx.Done()
			time.Sleep(time.Millisecond)
			how()
			return in, errFirst
		})
	}
	for name, c := range map[string]struct {
		s    step.Step[int, int]
		told []string
	}{
		"error":            {await(func() {}), nil},
		"panic":            {await(func() { panic("oops") }), []string{"oops"}},
		"Goexit":           {await(runtime.Goexit), []string{"Goexit"}},
		"hook panics":      {flow.OnCancel(await(func() {}), func(step.Scope) { panic("hook") }), []string{"hook"}},
		"hook Goexits":     {flow.OnCancel(await(func() {}), func(step.Scope) { runtime.Goexit() }), []string{"callback called", "Goexit"}},
		"both":             {flow.OnCancel(await(func() { panic("oops") }), func(step.Scope) { panic("hook") }), []string{"oops", "hook"}},
		"shield fails":     {flow.Shield(failAfter(1500*time.Millisecond, errFirst)), nil},
		"shield panics":    {flow.Shield(flow.Then(step.Delay[int](1100*time.Millisecond), step.Map(func(int) int { panic("late") }))), []string{"late"}},
		"release fails":    {flow.Bracket(plantest.Add(1), step.Delay[int](time.Hour), step.Func(func(step.Scope, flow.Ended[int, int]) (int, error) { return 0, errSecond })), []string{string(errSecond.Code)}},
		"race goes on":     {flow.First(step.Map(func(int) int { panic("oops") }), step.Delay[int](time.Hour)), []string{"oops"}},
		"inner lingers on": {flow.Linger(time.Second, flow.OnCancel(await(func() { panic("oops") }), func(step.Scope) { panic("hook") })), []string{"oops", "hook"}},
		"decided, panic": {sum[int](flow.Par(flow.Linger(time.Minute, flow.Grace(-1, flow.Shield(step.Delay[int](3*time.Second)))),
			flow.Then(step.Delay[int](500*time.Millisecond), step.Map(func(int) int { panic("oops") })))), []string{"oops"}},
		"decided, Goexit": {sum[int](flow.Par(flow.Linger(time.Minute, flow.Grace(-1, flow.Shield(step.Delay[int](3*time.Second)))),
			step.Await(func(context.Context, int) (int, error) {
				time.Sleep(500 * time.Millisecond)
				runtime.Goexit()
				return 0, nil
			}))), []string{"Goexit"}},
		"its own grace": {step.Await(func(context.Context, int) (int, error) { time.Sleep(time.Minute); return 0, nil }), []string{"left a goroutine behind"}},
	} {
		for way, start := range starts {
			t.Run(name+"/"+way, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var told []error
					var err error
					var v int
					done := make(chan struct{})
					go func() { // flow.Run may end this goroutine
						defer close(done)
						v, told, err = start(t, flow.First(flow.Linger(10*time.Second, c.s), later(time.Second, 1)))
					}()
					<-done
					time.Sleep(time.Hour)
					if way == "Run" && strings.Contains(name, "hook Goexits") {
						return
					}
					if v != 2 || err != nil {
						t.Errorf("%d, %v", v, err)
					}
					if len(told) != len(c.told) {
						t.Fatalf("reported: %v", told)
					}
					for i, want := range c.told {
						if !strings.Contains(told[i].Error(), want) {
							t.Errorf("reported %v, want %s", told[i], want)
						}
					}
				})
			})
		}
	}
}

// P10: while a part lingers, neither a cancel, nor the deadline of the context, nor a shutdown changes the result.
func TestP10LingerKeepsTheResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		slow := flow.Linger(time.Minute, flow.Grace(-1, flow.Shield(step.Delay[int](4*time.Second))))
		p := flow.First(slow, later(time.Second, 1))
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if v, err := flow.Run(ctx, p, 1); v != 2 || err != nil || time.Since(begun) != 4*time.Second {
			t.Errorf("Run: %d, %v after %v", v, err, time.Since(begun))
		}
		loop := tool.Start(tool.Options{OnError: func(err error) { t.Error(err) }})
		run := flow.Start(t.Context(), loop, p, 1)
		time.Sleep(2 * time.Second)
		if run.Cancel(errFirst) {
			t.Error("it can be cancelled after its result is decided")
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		begun = time.Now()
		err := loop.Shutdown(ended) // cancels the runs on the loop
		if v, err := run.Result(); v != 2 || err != nil || time.Since(begun) != 2*time.Second {
			t.Errorf("Start: %d, %v after %v", v, err, time.Since(begun))
		}
		if !errors.Is(err, tool.ErrShutdown) {
			t.Errorf("Shutdown: %v", err)
		}
	})
}

// P10: a loop that is being shut down lets its runs begin lingering parts, and waits for these.
func TestP10LingerOnALoopThatDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := tool.Start(tool.Options{OnError: func(err error) { t.Error(err) }})
		begun := time.Now()
		run := flow.Start(t.Context(), loop, flow.Then(step.Delay[int](time.Second), flow.First(flow.Linger(time.Minute, flow.Grace(-1, flow.Shield(step.Delay[int](4*time.Second)))), flow.Linger(time.Second, plantest.Add(1)))), 1)
		time.Sleep(500 * time.Millisecond)
		if err := loop.Shutdown(t.Context()); err != nil || time.Since(begun) != 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		if v, err := run.Result(); v != 2 || err != nil {
			t.Errorf("%d, %v", v, err)
		}
	})
}

// P10: a loop that is being shut down waits also for a part that is left behind meanwhile.
func TestP10LingerIsLeftBehindWhileTheLoopDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := tool.Start(tool.Options{OnError: func(error) {}})
		begun, m := time.Now(), syncx.NewMutex(1, -1)
		slow := flow.Linger(time.Second, flow.Grace(-1, syncx.Sync(m, flow.Shield(step.Delay[int](6*time.Second)))))
		run := flow.Start(t.Context(), loop, flow.First(slow, later(time.Second, 1)), 1)
		time.Sleep(500 * time.Millisecond)
		if err := loop.Shutdown(t.Context()); err != nil || time.Since(begun) != 6*time.Second || m.Inside() != 0 {
			t.Errorf("%v after %v, %d inside", err, time.Since(begun), m.Inside())
		}
		if v, err := run.Result(); v != 2 || err != nil {
			t.Errorf("%d, %v", v, err)
		}
	})
}

// P10: a deadlock that includes a part is found. The part is inside of its guards until it has been left.
func TestP10LingerAndGuards(t *testing.T) {
	m := syncx.NewMutex(1, -1)
	_, err := flow.Run(t.Context(), syncx.Sync(m, flow.Linger(time.Second, sum[int](flow.Par(syncx.Sync(m, plantest.Add(1)), plantest.Add(1))))), 1)
	if !errors.Is(err, syncx.Deadlock) || m.Inside() != 0 || m.Queued() != 0 {
		t.Errorf("%v, %d inside, %d queued", err, m.Inside(), m.Queued())
	}
	synctest.Test(t, func(t *testing.T) {
		m := syncx.NewMutex(1, -1)
		begun := time.Now()
		p := flow.Then(flow.First(flow.Linger(time.Minute, syncx.Sync(m, flow.Shield(step.Delay[int](time.Second)))), later(100*time.Millisecond, 1)), syncx.Sync(m, plantest.Add(1)))
		if v, err := flow.Run(t.Context(), p, 1); v != 3 || err != nil || time.Since(begun) != time.Second {
			t.Errorf("%d, %v after %v", v, err, time.Since(begun))
		}
	})
}

// P10: the step of a Linger that was left doesn't wait for its part. So there is no deadlock if another flow holds the
// guard for which the part waits, and waits for a guard that the flow of the step holds.
func TestP10LingerThatWaitsHoldsUpNobody(t *testing.T) {
	for name, waits := range map[string]func(b step.Step[int, int]) step.Step[int, int]{
		"itself":      func(b step.Step[int, int]) step.Step[int, int] { return b },
		"in a branch": func(b step.Step[int, int]) step.Step[int, int] { return sum[int](flow.Par(b, plantest.Add(1))) },
		"further in":  func(b step.Step[int, int]) step.Step[int, int] { return flow.Linger(time.Hour, b) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				loop := tool.Start(tool.Options{OnError: func(err error) { t.Error(err) }})
				a, b := syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)
				part := flow.Linger(time.Hour, flow.Grace(-1, flow.Shield(waits(syncx.Sync(b, plantest.Add(1))))))
				left := flow.Catch(flow.Timeout(10*time.Millisecond, part), func(step.Scope, error) step.Next[int] { return step.Succeed(1) })
				other := flow.Start(t.Context(), loop, syncx.Sync(b, flow.Then(step.Delay[int](50*time.Millisecond), syncx.Sync(a, plantest.Add(1)))), 1)
				run := flow.Start(t.Context(), loop, syncx.Sync(a, flow.Then(left, step.Delay[int](200*time.Millisecond))), 1)
				if _, err := other.Wait(t.Context()); err != nil {
					t.Error(err)
				}
				if _, err := run.Wait(t.Context()); err != nil {
					t.Error(err)
				}
				if err := loop.Shutdown(t.Context()); err != nil || a.Queued()+b.Queued()+a.Inside()+b.Inside() != 0 {
					t.Error(err, a, b)
				}
			})
		})
	}
}

// P10: a step of the part waits for a run on another loop, which reads the path and the guards of the part while that
// step is being left.
func TestP10LingerAndOtherLoops(t *testing.T) {
	g := newGroup(t, 1)
	m := syncx.NewMutex(1, -1)
	var paths sync.Map
	path := step.Func(func(as step.Scope, in int) (int, error) {
		paths.Store(as.Path(), true)
		return in, nil
	})
	away := flow.On(g, flow.Then(path, syncx.Sync(m, flow.OnCancel(flow.Of(slowUnwind(0, new(atomic.Int32))), func(as step.Scope) {
		if at := as.Path(); at != "0/first.0/0/0/1/0" {
			t.Errorf("path %s", at)
		}
	}))))
	p := flow.First(flow.Linger(time.Minute, flow.Then(away, plantest.Add(1))), later(time.Millisecond, 1))
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if v, err := flow.Run(t.Context(), p, 1); v != 2 || err != nil {
				t.Errorf("%d, %v", v, err)
			}
		})
	}
	all.Wait()
	var met []any
	paths.Range(func(path, _ any) bool { met = append(met, path); return true })
	if len(met) > 1 || m.Inside() != 0 || m.Queued() != 0 {
		t.Errorf("paths %v, %d inside, %d queued", met, m.Inside(), m.Queued())
	}
}

// P10, E3: what a part raises while it lingers isn't the last error of its run.
func TestP10LingerRaisesInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var info any
		slow := flow.Linger(time.Minute, flow.Grace(-1, flow.Shield(failAfter(2*time.Second, errFirst))))
		p := flow.Then(flow.Catch(flow.Timeout(time.Second, slow), func(step.Scope, error) step.Next[int] { return step.Succeed(1) }),
			flow.Then(step.Delay[int](5*time.Second), step.Func(func(as step.Scope, in int) (int, error) {
				info, _ = as.State().Get("error_info")
				return in, nil
			})))
		if v, err := flow.Run(t.Context(), p, 1); v != 1 || err != nil || !strings.Contains(fmt.Sprint(info), "took longer than 1s") {
			t.Errorf("%d, %v; error_info is %v", v, err, info)
		}
	})
}

// P10: a part that was left behind ends, and the run still waits for its other part.
func TestP10LingerEndsAfterItsGrace(t *testing.T) {
	for name, start := range starts {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				late := flow.Linger(time.Second, flow.Grace(-1, flow.Shield(step.Delay[int](4*time.Second))))
				slow := flow.Linger(time.Minute, flow.Grace(-1, flow.Shield(step.Delay[int](6*time.Second))))
				v, told, err := start(t, flow.First(late, slow, step.Delay[int](time.Second)))
				if v != 1 || err != nil || len(told) != 1 || time.Since(begun) != 6*time.Second {
					t.Errorf("%d, %v after %v, reported %v", v, err, time.Since(begun), told)
				}
			})
		})
	}
}

// P10: a part of a part is left behind, and then the part ends in time. The loop of the run serves the one that was left
// behind to its end.
func TestP10LingerIsLeftBehindFurtherIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var left atomic.Int32
		stuck := flow.OnCancel(flow.Grace(-1, step.Await(func(context.Context, int) (int, error) {
			time.Sleep(10 * time.Second)
			return 0, nil
		})), func(step.Scope) { left.Add(1) })
		v, told, err := starts["Run"](t, flow.First(flow.Linger(time.Minute, flow.Linger(time.Second, stuck)), step.Delay[int](time.Second)))
		if v != 1 || err != nil || len(told) != 1 || left.Load() != 0 || time.Since(begun) != 2*time.Second {
			t.Errorf("%d, %v after %v, reported %v, %d left", v, err, time.Since(begun), told, left.Load())
		}
		time.Sleep(time.Minute)
		if left.Load() != 1 {
			t.Errorf("%d were left", left.Load())
		}
	})
}
