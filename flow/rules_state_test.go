package flow_test

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestS1(t *testing.T) {
	counter := step.NewVar[int]("counter")
	inc := step.Func(func(as step.Scope, _ none) (int, error) {
		n, _ := counter.Get(as)
		counter.Set(as, n+1)
		return n + 1, nil
	})
	t.Run("S1 all fibers of a run share one map", func(t *testing.T) {
		plantest.WantResult(t, flow.Par(inc, flow.Call(inc), flow.Catch(inc, func(step.Scope, error) step.Next[int] { return step.Unwind[int]() })),
			none{}, []int{1, 2, 3})
	})
	t.Run("S1 so do sub-steps and handlers", func(t *testing.T) {
		fails := step.Func(func(as step.Scope, _ none) (int, error) {
			counter.Set(as, 10)
			return 0, errBad
		})
		plantest.WantResult(t, flow.Catch(
			step.New(func(as step.Scope, _ none) step.Next[int] { return step.Into(as, fails, none{}) }),
			func(as step.Scope, _ error) step.Next[int] { return step.Into(as, inc, none{}) }), none{}, 11)
	})
	t.Run("S1 runs don't", func(t *testing.T) {
		l := tooltest.New()
		p := flow.Then(inc, step.New(func(as step.Scope, n int) step.Next[int] {
			return step.Wait(as, func(done step.Done[int]) { as.Loop().Deferred(time.Second, func() { done.Succeed(n) }) })
		}))
		a, b := flow.Start(t.Context(), l, p, none{}), flow.Start(t.Context(), l, p, none{})
		l.Run()
		c := flow.Start(t.Context(), l, p, none{})
		l.Run()
		for i, r := range []*flow.Running[int]{a, b, c} {
			if n, err := r.Result(); n != 1 || err != nil {
				t.Errorf("run %d: %d, %v", i, n, err)
			}
		}
	})
}

func TestS2(t *testing.T) {
	t.Run("S2 brings the steps and the variables that aren't there yet", func(t *testing.T) {
		state := map[string]any{"mine": "model", "new": "model"}
		model := flow.Model[none, map[string]any]{
			Steps: step.Func(func(as step.Scope, _ none) (map[string]any, error) {
				return maps.Collect(as.State().All()), nil
			}),
			State: state,
		}
		p := flow.Then(
			step.Func(func(as step.Scope, _ none) (none, error) {
				as.State().Set("mine", "run")
				as.State().Set("other", "run")
				return none{}, nil
			}),
			flow.CopyFrom(model))
		state["late"] = "not copied"
		want := map[string]any{"mine": "run", "other": "run", "new": "model"}
		plantest.WantResult(t, p, none{}, want)
		if diff := cmp.Diff(map[string]any{"mine": "model", "new": "model", "late": "not copied"}, state); diff != "" {
			t.Errorf("the model was changed: %s", diff)
		}
	})
	t.Run("S2 a variable that holds nil is there", func(t *testing.T) {
		model := flow.Model[none, bool]{
			Steps: step.Func(func(as step.Scope, _ none) (bool, error) {
				v, ok := as.State().Get("x")
				return v == nil && ok, nil
			}),
			State: map[string]any{"x": 1},
		}
		plantest.WantResult(t, flow.Then(step.Func(func(as step.Scope, _ none) (none, error) {
			as.State().Set("x", nil)
			return none{}, nil
		}), flow.CopyFrom(model)), none{}, true)
	})
}

func TestS3(t *testing.T) {
	// use allocates two items on the stack of its step. The hook, the handler and the cleanups of the step record them.
	type item struct{ name string }
	use := func(rec *recorder, end func(as step.Scope) step.Next[none]) step.Step[none, none] {
		var first, last *item
		return flow.Catch(
			step.New(func(as step.Scope, _ none) step.Next[none] {
				free := func(p *item) { rec.Recordf("free %s", p.name) }
				first, last = step.StackCleanup(as, free), step.StackCleanup(as, free)
				*first, *last = item{"first"}, item{"last"}
				as.SetCancel(func() { rec.Recordf("hook %s %s", first.name, last.name) })
				return end(as)
			}),
			func(step.Scope, error) step.Next[none] {
				rec.Recordf("handler %s %s", first.name, last.name)
				return step.Unwind[none]()
			})
	}
	sub := func(rec *recorder, err error) step.Step[none, none] {
		return step.Func(func(as step.Scope, _ none) (none, error) {
			step.StackCleanup(as, func(*none) { rec.Recordf("free sub") })
			return none{}, err
		})
	}
	for _, c := range []struct {
		name string
		end  func(rec *recorder) func(as step.Scope) step.Next[none]
		want []string
	}{
		{"S3 success", func(*recorder) func(step.Scope) step.Next[none] {
			return func(step.Scope) step.Next[none] { return step.Succeed(none{}) }
		}, []string{"free last", "free first"}},
		{"S3 error", func(*recorder) func(step.Scope) step.Next[none] {
			return func(step.Scope) step.Next[none] { return step.Fail[none](errBad) }
		}, []string{"hook first last", "handler first last", "free last", "free first"}},
		{"S3 panic", func(*recorder) func(step.Scope) step.Next[none] {
			return func(step.Scope) step.Next[none] { panic("boom") }
		}, []string{"hook first last", "handler first last", "free last", "free first"}},
		{"S3 sub-steps: cleaned before the parent's, after them", func(rec *recorder) func(step.Scope) step.Next[none] {
			return func(as step.Scope) step.Next[none] {
				return step.Into(as, flow.Chain(sub(rec, nil), rec.step("sub 2")), none{})
			}
		}, []string{"free sub", "sub 2", "free last", "free first"}},
		{"S3 error of sub-steps", func(rec *recorder) func(step.Scope) step.Next[none] {
			return func(as step.Scope) step.Next[none] { return step.Into(as, sub(rec, errBad), none{}) }
		}, []string{"free sub", "hook first last", "handler first last", "free last", "free first"}},
		{"S3 timeout", func(*recorder) func(step.Scope) step.Next[none] {
			return func(as step.Scope) step.Next[none] { as.SetTimeout(time.Second); return step.Next[none]{} }
		}, []string{"hook first last", "handler first last", "free last", "free first"}},
		{"S3 cancel", func(*recorder) func(step.Scope) step.Next[none] {
			return func(as step.Scope) step.Next[none] { return step.Wait[none](as, nil) }
		}, []string{"hook first last", "free last", "free first"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rec recorder
			p := use(&rec, c.end(&rec))
			for range 2 {
				rec = recorder{}
				l := tooltest.New()
				r := flow.Start(t.Context(), l, p, none{})
				l.Run()
				r.Cancel(nil)
				l.Run()
				rec.Want(t, c.want...)
			}
		})
	}
	t.Run("S3 the memory is zeroed when the step has ended, and nobody else's", func(t *testing.T) {
		var kept [2]*item
		i := 0
		alloc := step.Func(func(as step.Scope, _ none) (none, error) {
			kept[i] = step.Stack[item](as)
			if *kept[i] != (item{}) {
				t.Error("not zero at first")
			}
			kept[i].name = "used"
			i++
			return none{}, nil
		})
		plantest.WantResult(t, flow.Chain(alloc, step.Func(func(step.Scope, none) (none, error) {
			if kept[0].name != "" {
				t.Error("not zeroed")
			}
			kept[0].name = "mine" // nobody else uses this memory
			return none{}, nil
		}), alloc), none{}, none{})
		if kept[0] == kept[1] || kept[0].name != "mine" || kept[1].name != "" {
			t.Errorf("got %v, %v", kept[0], kept[1])
		}
	})
	t.Run("S3 a nil cleanup is allowed", func(t *testing.T) {
		var kept *int
		plantest.WantResult(t, step.Func(func(as step.Scope, _ none) (none, error) {
			kept = step.StackCleanup[int](as, nil)
			*kept = 1
			return none{}, nil
		}), none{}, none{})
		if *kept != 0 {
			t.Error("not zeroed")
		}
	})
}

type droppableState struct{ dropped int }

func (p *droppableState) Drop() { p.dropped++; panic("closed by a stranger") }

// A run that ends doesn't call the method Drop of its variables.
func TestS1VariablesAreLeftAlone(t *testing.T) {
	own, shared := new(droppableState), new(droppableState)
	key := step.NewVar[*droppableState]("own")
	plan := flow.CopyFrom(flow.Model[none, none]{
		Steps: step.Func(func(as step.Scope, _ none) (none, error) { key.Set(as, own); return none{}, nil }),
		State: map[string]any{"shared": shared},
	})
	for range 2 {
		plantest.WantResult(t, plan, none{}, none{})
		if _, err := flow.Run(t.Context(), plan, none{}); err != nil {
			t.Error(err)
		}
	}
	if own.dropped+shared.dropped != 0 {
		t.Errorf("Drop was called %d times", own.dropped+shared.dropped)
	}
}
