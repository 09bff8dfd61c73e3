package syncx_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

type changeRecorder struct {
	mu  sync.Mutex
	all []string
}

func (l *changeRecorder) note(from, to any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, fmt.Sprintf("%v>%v", from, to))
}

func (l *changeRecorder) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, " ")
}

// A loop that causes changes while another one tells of an earlier change doesn't wait. Its changes are told after the
// earlier one.
func TestChangesAreToldInTheirOrder(t *testing.T) {
	for name, end := range map[string]func(){"returns": func() {}, "panics": func() { panic("no") }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var l changeRecorder
				free := make(chan struct{})
				b := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1, Pause: time.Second, OnChange: func(from, to syncx.BreakerState) {
					if to == syncx.Open {
						<-free // a slow call
					}
					l.note(from, to)
					end()
				}})
				loops := tool.NewGroup(2, tool.Options{OnError: func(error) {}})
				one, two := loops.Loops()[0], loops.Loops()[1]
				flow.Start(t.Context(), one, syncx.Sync(b, step.Func(func(step.Scope, int) (int, error) { return 0, fault.CommError })), 0)
				synctest.Wait()
				time.Sleep(time.Second)
				run := flow.Start(t.Context(), two, syncx.Sync(b, step.Map(func(n int) int { return n })), 0)
				if _, err := run.Wait(t.Context()); err != nil || b.State() != syncx.Closed {
					t.Errorf("the second loop: %v, the breaker is %v", err, b.State())
				}
				close(free)
				synctest.Wait()
				if got, want := l.text(), "closed>open open>half-open half-open>closed"; got != want {
					t.Errorf("told %s, want %s", got, want)
				}
				if err := loops.Shutdown(context.Background()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestLimitsAreToldInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l changeRecorder
		free := make(chan struct{})
		slow := true
		a := syncx.NewAdaptive(syncx.AdaptivePolicy{Start: 100, MinSections: 1, Window: time.Second, OnChange: func(from, to int) {
			if slow {
				slow = false
				<-free
			}
			l.note(from, to)
		}})
		loops := tool.NewGroup(2, tool.Options{})
		overloaded := syncx.Sync(a, step.Func(func(step.Scope, int) (int, error) { return 0, fault.Timeout }))
		fail := func(loop tool.Tool) {
			flow.Start(t.Context(), loop, overloaded, 0)
			synctest.Wait()
			time.Sleep(2 * time.Second)
		}
		fail(loops.Loops()[0])
		fail(loops.Loops()[0]) // the window is over: the limit falls
		fail(loops.Loops()[1])
		close(free)
		synctest.Wait()
		if got, want := l.text(), "100>90 90>81"; got != want {
			t.Errorf("told %s, want %s", got, want)
		}
		if err := loops.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// A clock that panics leaves no guard locked.
func TestClockPanicsInAGuard(t *testing.T) {
	guards := map[string]func() syncx.Guard{
		"breaker": func() syncx.Guard {
			return syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1, Window: time.Minute, Pause: time.Nanosecond})
		},
		"adaptive": func() syncx.Guard {
			return syncx.NewAdaptive(syncx.AdaptivePolicy{MinSections: 1, Window: time.Nanosecond})
		},
		"throttle": func() syncx.Guard { return syncx.NewThrottle(1, time.Nanosecond, -1) },
		"bucket":   func() syncx.Guard { return syncx.NewTokenBucket(1, time.Nanosecond, 1, -1) },
	}
	for name, made := range guards {
		t.Run(name, func(t *testing.T) {
			for breaks := range 8 { // which look at the clock panics
				looks, now := -1, time.Duration(0)
				m := tool.NewManual(tool.Options{OnError: func(error) {}, Host: []tool.HostOption{tool.WithClock(func() time.Duration {
					now++
					if looks--; looks == 0 {
						panic("no time")
					}
					return now
				})}})
				g := made()
				pass := syncx.Sync(g, step.Func(func(_ step.Scope, n int) (int, error) {
					if n == 0 {
						return 0, fault.Timeout
					}
					return n, nil
				}))
				free := make(chan struct{})
				go func() {
					defer close(free)
					looks = breaks + 1
					for n := range 3 {
						flow.Start(t.Context(), m, pass, n)
						for m.Iterate() {
						}
					}
				}()
				select {
				case <-free:
				case <-time.After(10 * time.Second): // reached only if the lock is held for ever
					t.Fatalf("look %d: the lock is held", breaks)
				}
			}
		})
	}
}
