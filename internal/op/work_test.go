package op

import (
	"reflect"
	"testing"
)

// A value that a loop gives as a result is taken if it is a T, or can be assigned to one.
func TestUnreflect(t *testing.T) {
	type named []int
	wants(t, "the type itself", Unreflect[int](reflect.ValueOf(7)), 7)
	wants(t, "an interface", Unreflect[any](Reflect[any](7)), any(7))
	wants(t, "a nil interface", Unreflect[any](Reflect[any](nil)), nil)
	wants(t, "its implementation", Unreflect[any](reflect.ValueOf(7)), any(7))
	wants(t, "another type", Unreflect[int](reflect.ValueOf("7")), 0)
	wants(t, "nothing", Unreflect[int](reflect.Value{}), 0)
	wants(t, "a field that isn't exported", Unreflect[int](reflect.ValueOf(struct{ n int }{7}).Field(0)), 0)
	wants(t, "another type, assignable", len(Unreflect[[]int](reflect.ValueOf(named{1, 2}))), 2)
}

func wants[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// A result of the type itself is taken without an allocation.
func TestUnreflectNoAllocations(t *testing.T) {
	var got [4]string
	given := Reflect([4]string{"a result"})
	if allocs := testing.AllocsPerRun(100, func() { got = Unreflect[[4]string](given) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
	wants(t, "value", got[0], "a result")
}
