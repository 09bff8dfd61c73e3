package flow_test

import (
	"context"
	"errors"
	"runtime"
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

func TestRunsShareNothing(t *testing.T) {
	seen := step.NewVar[int]("seen")
	p := flow.Then(
		flow.Par(
			step.Func(func(as step.Scope, i int) (int, error) {
				if _, ok := seen.Get(as); ok {
					return 0, errors.New("the state of another run")
				}
				seen.Set(as, i)
				*step.Stack[int](as) += i
				return i, nil
			}),
			step.Await(func(_ context.Context, i int) (int, error) { return 2 * i, nil }),
			flow.Catch(step.Func(func(step.Scope, int) (int, error) { return 0, errBad }),
				func(as step.Scope, _ error) step.Next[int] {
					v, _ := seen.Get(as)
					return step.Succeed(3 * v)
				}),
		),
		step.Func(func(as step.Scope, all []int) (int, error) {
			v, _ := seen.Get(as)
			return v + all[0] + all[1] + all[2], nil
		}))
	l := tool.Start(tool.Options{})
	defer l.Shutdown(context.Background())
	var callers sync.WaitGroup
	for c := range 8 {
		callers.Go(func() {
			for i := c; i < 400; i += 8 {
				got, err := flow.Run(t.Context(), p, i)
				if got != 7*i || err != nil {
					t.Errorf("Run gave %d, %v, want %d", got, err, 7*i)
				}
				got, err = flow.Start(t.Context(), l, p, i).Wait(t.Context())
				if got != 7*i || err != nil {
					t.Errorf("Start gave %d, %v, want %d", got, err, 7*i)
				}
			}
		})
	}
	callers.Wait()
}

// What hooks, handlers and cleanups set doesn't remain for later steps or runs.
func TestNothingIsLeftBehind(t *testing.T) {
	type key struct{}
	install := func(rec *recorder, as step.Scope) {
		as.SetTimeout(time.Second)
		as.SetCancel(func() { rec.Recordf("hook") })
		as.Context()
	}
	fails := func(with func(as step.Scope), err error) step.Step[none, none] {
		return step.Func(func(as step.Scope, _ none) (none, error) { with(as); return none{}, err })
	}
	for _, c := range []struct {
		name string
		s    func(rec *recorder) step.Step[none, none]
	}{
		{"handler that unwinds", func(rec *recorder) step.Step[none, none] {
			return flow.Catch(fails(func(step.Scope) {}, errBad), func(as step.Scope, _ error) step.Next[none] {
				install(rec, as)
				return step.Unwind[none]()
			})
		}},
		{"handler that fails", func(rec *recorder) step.Step[none, none] {
			return flow.Catch(fails(func(step.Scope) {}, errBad), func(as step.Scope, err error) step.Next[none] {
				install(rec, as)
				return step.Fail[none](err)
			})
		}},
		{"handler that panics", func(rec *recorder) step.Step[none, none] {
			return flow.Catch(fails(func(step.Scope) {}, errBad), func(as step.Scope, err error) step.Next[none] {
				install(rec, as)
				panic(err)
			})
		}},
		{"handler that recovers", func(rec *recorder) step.Step[none, none] {
			return flow.Catch(fails(func(step.Scope) {}, errBad), func(as step.Scope, _ error) step.Next[none] {
				install(rec, as)
				return step.Succeed(none{})
			})
		}},
		{"hook", func(rec *recorder) step.Step[none, none] {
			return fails(func(as step.Scope) { as.SetCancel(func() { install(rec, as) }) }, errBad)
		}},
		{"cleanup after an error", func(rec *recorder) step.Step[none, none] {
			return fails(func(as step.Scope) { step.StackCleanup(as, func(*none) { install(rec, as) }) }, errBad)
		}},
		{"cleanup after success", func(rec *recorder) step.Step[none, none] {
			return fails(func(as step.Scope) { step.StackCleanup(as, func(*none) { install(rec, as) }) }, nil)
		}},
		{"cleanup that adds a cleanup", func(rec *recorder) step.Step[none, none] {
			return fails(func(as step.Scope) {
				step.StackCleanup(as, func(*none) { step.StackCleanup(as, func(*none) { install(rec, as) }) })
			}, errBad)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rec recorder
			l := tooltest.New()
			recovered := flow.Catch(flow.Chain(c.s(&rec)), func(step.Scope, error) step.Next[none] { return step.Succeed(none{}) })
			later := step.New(func(as step.Scope, _ none) step.Next[none] {
				rec.Recordf("later")
				if v := as.Context().Value(key{}); v != "now" {
					t.Errorf("the later step has a context of %v", v)
				}
				return step.Wait(as, func(done step.Done[none]) {
					as.Loop().Deferred(time.Minute, func() { done.Fail(errBad) })
				})
			})
			p := flow.Chain(recovered, later)
			for _, value := range []string{"now", "now"} {
				rec = recorder{}
				r := flow.Start(context.WithValue(t.Context(), key{}, value), l, p, none{})
				l.Run()
				if _, err := r.Result(); !errors.Is(err, errBad) || len(l.Errors()) != 0 {
					t.Errorf("ended with %v, reported %v", err, l.Errors())
				}
				if rec.Lines[len(rec.Lines)-1] != "later" || len(rec.Lines) > 2 {
					t.Errorf("trace %q", rec.Lines)
				}
			}
		})
	}
}

func TestGoexit(t *testing.T) {
	gone := func(rec *recorder) step.Step[none, none] {
		return flow.Catch(
			step.Func(func(as step.Scope, _ none) (none, error) {
				as.SetCancel(func() { rec.Recordf("hook") })
				step.StackCleanup(as, func(*none) { rec.Recordf("cleanup") })
				runtime.Goexit()
				return none{}, nil
			}),
			func(_ step.Scope, err error) step.Next[none] {
				rec.Recordf("handler: %s", fault.CodeOf(err))
				return step.Unwind[none]()
			})
	}
	t.Run("E4 on a loop it is InternalError and the loop goes on", func(t *testing.T) {
		var rec recorder
		var mu sync.Mutex
		var reported []error
		l := tool.Start(tool.Options{OnError: func(err error) {
			mu.Lock()
			defer mu.Unlock()
			reported = append(reported, err)
		}})
		defer l.Shutdown(context.Background())
		_, err := flow.Start(t.Context(), l, gone(&rec), none{}).Wait(t.Context())
		if e := plantest.WantCode(t, err, fault.InternalError); e.Path != "0" || !strings.Contains(err.Error(), "Goexit") {
			t.Errorf("ended with %v", err)
		}
		rec.Want(t, "hook", "handler: InternalError", "cleanup")
		if _, err := flow.Start(t.Context(), l, flow.Value[none](1), none{}).Wait(t.Context()); err != nil {
			t.Errorf("the next run on that loop: %v", err)
		}
		mu.Lock()
		defer mu.Unlock()
		if len(reported) != 1 || !errors.Is(reported[0], tool.ErrGoexit) {
			t.Errorf("reported %v", reported)
		}
	})
	t.Run("E4 in Run the goroutine ends, but not before the run is unwound", func(t *testing.T) {
		var rec recorder
		ended := make(chan bool)
		go func() {
			returned := false
			defer func() { ended <- returned }()
			flow.Run(context.Background(), gone(&rec), none{})
			returned = true
		}()
		if <-ended {
			t.Error("Run returned, though the goroutine was told to end")
		}
		if len(rec.Lines) < 2 || rec.Lines[0] != "hook" || rec.Lines[len(rec.Lines)-1] != "cleanup" {
			t.Errorf("trace %q, want hook and cleanup", rec.Lines)
		}
	})
}
