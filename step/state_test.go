package step_test

import (
	"fmt"
	"iter"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

func in(t *testing.T, body func(as step.Scope)) {
	t.Helper()
	plantest.WantResult(t, step.Func(func(as step.Scope, i int) (int, error) { body(as); return i, nil }), 1, 1)
}

func TestState(t *testing.T) {
	in(t, func(as step.Scope) {
		s := as.State()
		if v, ok := s.Get("a"); v != nil || ok {
			t.Errorf("at first it has %v, %v", v, ok)
		}
		if !s.Set("a", 1) || !s.Set("b", nil) || !s.Set("c", "x") {
			t.Error("a variable was refused")
		}
		s.Delete("c")
		s.Delete("never set")
		if diff := cmp.Diff(map[string]any{"a": 1, "b": nil}, maps.Collect(s.All())); diff != "" {
			t.Errorf("variables (-want +got):\n%s", diff)
		}
		for range s.All() {
			break
		}
	})
}

// The iterator of All has the variables at the time of the range, and none after the end of its step.
func TestStateKept(t *testing.T) {
	var kept iter.Seq2[string, any]
	in(t, func(as step.Scope) {
		kept = as.State().All()
		as.State().Set("later", 1)
		if diff := cmp.Diff(map[string]any{"later": 1}, maps.Collect(kept)); diff != "" {
			t.Errorf("variables (-want +got):\n%s", diff)
		}
	})
	for k := range kept {
		t.Errorf("%s is seen after the run", k)
	}
	in(t, func(as step.Scope) {
		as.State().Set("mine", 1)
		for k := range kept {
			t.Errorf("%q is seen through a scope of another run", k)
		}
	})
}

func TestVar(t *testing.T) {
	t.Run("is what was set", func(t *testing.T) {
		v := step.NewVar[[]int]("v")
		in(t, func(as step.Scope) {
			if got, ok := v.Get(as); got != nil || ok {
				t.Errorf("at first %v, %v", got, ok)
			}
			v.Set(as, []int{1})
			if got, ok := step.NewVar[[]int](v.Name()).Get(as); !ok || got[0] != 1 {
				t.Errorf("got %v, %v", got, ok)
			}
			v.Delete(as)
			if _, ok := v.Get(as); ok {
				t.Error("it wasn't deleted")
			}
		})
	})
	t.Run("of an interface type may hold nil", func(t *testing.T) {
		v := step.NewVar[error]("v")
		in(t, func(as step.Scope) {
			v.Set(as, nil)
			if got, ok := v.Get(as); got != nil || !ok {
				t.Errorf("got %v, %v", got, ok)
			}
			v.Set(as, errBad)
			if got, ok := v.Get(as); got != error(errBad) || !ok {
				t.Errorf("got %v, %v", got, ok)
			}
		})
	})
	t.Run("of a concrete type isn't nil", func(t *testing.T) {
		plantest.WantFailure(t, step.Func(func(as step.Scope, i int) (int, error) {
			as.State().Set("v", nil)
			if _, ok := step.NewVar[int]("v").Get(as); ok {
				t.Error("nil became an int")
			}
			return i, nil
		}), 1, fault.InternalError)
	})
	t.Run("of an interface type takes what implements it", func(t *testing.T) {
		in(t, func(as step.Scope) {
			as.State().Set("v", errBad)
			if got, ok := step.NewVar[fmt.Formatter]("v").Get(as); got == nil || !ok {
				t.Errorf("got %v, %v", got, ok)
			}
		})
	})
	t.Run("the zero Var is the variable without a name", func(t *testing.T) {
		var v step.Var[int]
		in(t, func(as step.Scope) {
			v.Set(as, 1)
			if got, ok := as.State().Get(""); got != 1 || !ok {
				t.Errorf("got %v, %v", got, ok)
			}
		})
	})
	t.Run("can't set the run's own", func(t *testing.T) {
		in(t, func(as step.Scope) {
			for _, name := range []string{step.ErrorInfo, step.LastException, step.AsyncStack} {
				if step.NewVar[string](name).Set(as, "mine") {
					t.Errorf("%s was set", name)
				}
			}
		})
	})
}
