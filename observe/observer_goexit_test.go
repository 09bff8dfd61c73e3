package observe_test

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
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// leaves returns an observer whose Watch ends its goroutine at the first event of kind.
func leaves(kind observe.Kind) observe.Observer {
	return observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		did := false
		return ctx, func(e observe.Event) {
			if e.Kind == kind && !did {
				did = true
				runtime.Goexit()
			}
		}
	})
}

// eventful returns a plan that causes each kind of event but Cancelled, if m is taken for 1 ms.
func eventful(m *syncx.Mutex) step.Step[step.Unit, step.Unit] {
	never := step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] { return step.Wait[step.Unit](as, nil) })
	late := flow.Catch(flow.Timeout(time.Second, never), func(step.Scope, error) step.Next[step.Unit] {
		return step.Succeed(step.Unit{})
	})
	bad := flow.Catch(plantest.Named("bad", errBad), func(step.Scope, error) step.Next[step.Unit] { return step.Succeed(step.Unit{}) })
	opens := syncx.Sync(syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1}), plantest.Named("down", errBad))
	bad = flow.Chain(bad, flow.Catch(opens, func(step.Scope, error) step.Next[step.Unit] { return step.Succeed(step.Unit{}) }))
	numbers := stream.Count(stream.Input(func(step.Unit) []int { return []int{1, 2} }, stream.Slice[int]()))
	late = flow.Then(late, flow.Then(numbers, step.Map(func(int) step.Unit { return step.Unit{} })))
	return flow.Then(flow.Then(syncx.Sync(m, plantest.Named("in", nil)), plantest.Delay("w", time.Millisecond)), flow.Then(bad, late))
}

// served runs body in a synctest bubble, with a started loop.
func served(t *testing.T, body func(t *testing.T, l *tool.Loop)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := tool.Start(tool.Options{OnError: func(error) {}}) // gets the reports of Goexit
		body(t, l)
		if err := l.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// breakOff holds the ways in which a function ends without returning.
var breakOff = map[string]func(){"panic": func() { panic("boom") }, "Goexit": runtime.Goexit}

// The run ends, and no cancel or timeout is lost.
func TestGoexitInWatchOnALoop(t *testing.T) {
	for kind := observe.StepStart; kind <= observe.RunEnd; kind++ {
		t.Run(kind.String(), func(t *testing.T) {
			served(t, func(t *testing.T, l *tool.Loop) {
				m := syncx.NewMutex(1, 1)
				flow.Start(t.Context(), l, syncx.Sync(m, plantest.Delay("first", time.Millisecond)), step.Unit{})
				r := flow.Start(observe.With(t.Context(), leaves(kind)), l, eventful(m), step.Unit{})
				if kind == observe.Cancelled {
					synctest.Wait()
					r.Cancel(errBad)
				}
				_, err := r.Wait(t.Context())
				if kind == observe.Cancelled && !errors.Is(err, fault.Cancelled) {
					t.Errorf("the cancel got lost: %v", err)
				}
				if kind >= observe.Resumed && kind != observe.Cancelled && err != nil {
					t.Errorf("the run ended with %v", err)
				}
			})
		})
	}
}

// flow.Run ends the run before the goroutine ends.
func TestGoexitInWatchOfRun(t *testing.T) {
	for kind := observe.StepStart; kind <= observe.RunEnd; kind++ {
		if kind == observe.Cancelled || kind == observe.Queued {
			continue // this run is neither cancelled nor queued
		}
		t.Run(kind.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var events eventRecorder
				ctx := observe.With(observe.With(t.Context(), &events), leaves(kind))
				gone := make(chan struct{})
				go func() {
					defer close(gone)
					_, err := flow.Run(ctx, eventful(syncx.NewMutex(1, 1)), step.Unit{})
					t.Errorf("it has returned %v", err)
				}()
				<-gone
				if last := events.Lines[len(events.Lines)-1]; !strings.Contains(last, "run end") {
					t.Errorf("the last event is %q", last)
				}
			})
		})
	}
}

// E4: if the Watch ends the goroutine at the event of a panic or Goexit, the run still fails with that, and leaves its guards.
func TestGoexitInWatchThatIsToldOfAPanic(t *testing.T) {
	for name, body := range breakOff {
		t.Run(name, func(t *testing.T) {
			served(t, func(t *testing.T, l *tool.Loop) {
				m := syncx.NewMutex(1, 1)
				breaks := syncx.Sync(m, step.Map(func(step.Unit) step.Unit { body(); return step.Unit{} }))
				_, err := flow.Start(observe.With(t.Context(), leaves(observe.Raised)), l, breaks, step.Unit{}).Wait(t.Context())
				if !errors.Is(err, fault.InternalError) || m.Inside() != 0 {
					t.Errorf("ended with %v, inside of the mutex: %d", err, m.Inside())
				}
			})
		})
	}
}

// E4: if the Watch ends the goroutine at the event of a handler that has panicked or called Goexit, the run still fails
// with that.
func TestGoexitInWatchThatIsToldOfABrokenHandler(t *testing.T) {
	for name, body := range breakOff {
		t.Run(name, func(t *testing.T) {
			served(t, func(t *testing.T, l *tool.Loop) {
				breaks := flow.Catch(plantest.Named("bad", errBad), func(step.Scope, error) step.Next[step.Unit] {
					body()
					return step.Succeed(step.Unit{})
				})
				_, err := flow.Start(observe.With(t.Context(), leaves(observe.Handled)), l, breaks, step.Unit{}).Wait(t.Context())
				if !errors.Is(err, fault.InternalError) {
					t.Errorf("ended with %v", err)
				}
			})
		})
	}
}

// E7: if the Watch ends the goroutine at the event of a handler that broke a rule, the run still fails with that, even
// if the next handler breaks a rule too.
func TestGoexitInWatchThatIsToldOfABrokenRule(t *testing.T) {
	served(t, func(t *testing.T, l *tool.Loop) {
		breaks := func(next step.Next[step.Unit]) func(step.Scope, error) step.Next[step.Unit] {
			return func(as step.Scope, _ error) step.Next[step.Unit] {
				plantest.BreakRule(as)
				return next
			}
		}
		p := flow.Catch(flow.Catch(plantest.Named("bad", errBad), breaks(step.Unwind[step.Unit]())), breaks(step.Succeed(step.Unit{})))
		_, err := flow.Start(observe.With(t.Context(), leaves(observe.Handled)), l, p, step.Unit{}).Wait(t.Context())
		if !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("ended with %v", err)
		}
	})
}

// The run is cancelled during its last step: the events of the cancel and of the end come once.
func TestGoexitInWatchAtTheLastMoment(t *testing.T) {
	served(t, func(t *testing.T, l *tool.Loop) {
		var all eventRecorder
		self := make(chan *flow.Running[step.Unit], 1)
		cancels := step.Map(func(step.Unit) step.Unit { (<-self).Cancel(nil); return step.Unit{} }) //stepvet:ignore self is filled at once
		r := flow.Start(observe.With(observe.With(t.Context(), &all), leaves(observe.Cancelled)), l, cancels, step.Unit{})
		self <- r
		_, err := r.Wait(t.Context())
		told := strings.Join(all.Lines, "\n")
		if !errors.Is(err, fault.Cancelled) || strings.Count(told, "cancelled") != 1 || strings.Count(told, "run end") != 1 {
			t.Errorf("ended with %v, told was\n%s", err, told)
		}
	})
}

// The Watch ends the goroutine at the cancel; the run ends nevertheless.
func TestGoexitInWatchBeforeTheFirstStep(t *testing.T) {
	l := tool.NewManual(tool.Options{OnError: func(error) {}})
	r := flow.Start(observe.With(t.Context(), leaves(observe.Cancelled)), l, plantest.Named("a", nil), step.Unit{})
	r.Cancel(nil)
	for range 2 {
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			for l.Iterate() {
			}
		}()
		<-gone
	}
	if _, err := r.Result(); !errors.Is(err, fault.Cancelled) {
		t.Errorf("got %v", err)
	}
}

// The run ends before the goroutine ends, and waits for its other branches.
func TestRunEndIsToldAfterGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events eventRecorder
		both := flow.Par(
			step.Await(func(ctx context.Context, _ step.Unit) (step.Unit, error) {
				<-ctx.Done()
				time.Sleep(time.Millisecond) // virtual time
				return step.Unit{}, nil
			}),
			step.Func(func(step.Scope, step.Unit) (step.Unit, error) { runtime.Goexit(); return step.Unit{}, nil }),
		)
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			_, _ = flow.Run(observe.With(t.Context(), &events), both, step.Unit{})
		}()
		<-gone
		if last := events.Lines[len(events.Lines)-1]; last != "1ms run end: Cancelled" {
			t.Errorf("the last event is %q", last)
		}
	})
}

// The second thing that happens before a turn isn't lost when the Watch ends the goroutine at the event of the first.
func TestGoexitInWatchAmongOtherNews(t *testing.T) {
	for what, want := range map[string]error{"another completion": nil, "a cancel": fault.Cancelled} {
		t.Run(what, func(t *testing.T) {
			served(t, func(t *testing.T, l *tool.Loop) {
				var done [2]step.Done[step.Unit]
				waits := func(i int) step.Step[step.Unit, step.Unit] {
					return step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
						return step.Wait(as, func(d step.Done[step.Unit]) { done[i] = d })
					})
				}
				r := flow.Start(observe.With(t.Context(), leaves(observe.Resumed)), l, flow.Par(waits(0), waits(1)), step.Unit{})
				synctest.Wait()
				gate := make(chan step.Unit)
				if _, err := l.Immediate(func() { <-gate }); err != nil { // no turn begins until both have happened
					t.Fatal(err)
				}
				done[0].Succeed(step.Unit{})
				if want == nil {
					done[1].Succeed(step.Unit{})
				} else {
					r.Cancel(errBad)
				}
				close(gate)
				synctest.Wait()
				if _, err := r.Result(); !errors.Is(err, want) {
					t.Errorf("lost: %v", err)
					r.Cancel(errBad) // or the shutdown waits for it
				}
			})
		})
	}
}
