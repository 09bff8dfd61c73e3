package step

import (
	"fmt"
	"reflect"
)

// Var is a typed key of the run's [State]. Declare it as a package variable:
//
//	var user = step.NewVar[*User]("user")
//
// The value is stored in the run, not in the Var: a Var is safe for concurrent use, by any
// number of runs. The zero Var is the variable named "".
//
//spec:ftn12 §2.2.1 state
type Var[T any] struct{ name string }

// NewVar makes a key for the state variable with the given name. Two keys of the same name are
// the same variable and must agree about its type.
func NewVar[T any](name string) Var[T] { return Var[T]{name} }

// Name returns the name of the variable in the state.
func (v Var[T]) Name() string { return v.name }

// Get returns the value; ok is false if there is none. If the state holds a value of another
// type under that name, ok is false and the step that is executing fails with InternalError.
func (v Var[T]) Get(as Scope) (value T, ok bool) {
	raw, found := as.State().Get(v.name)
	if !found {
		return value, false
	}
	if value, ok = raw.(T); ok || raw == nil && any(value) == nil {
		return value, true // a nil raw is the zero value of an interface type
	}
	as.ref.Break(fmt.Sprintf("read the state variable %q as %v, but it is %T", v.name, reflect.TypeFor[T](), raw))
	return value, false
}

// Set stores the value; it reports false if the step has ended, or if the run
// maintains the variable itself.
func (v Var[T]) Set(as Scope, value T) bool { return as.State().Set(v.name, value) }

// Delete removes the variable; it does nothing if there is none.
func (v Var[T]) Delete(as Scope) { as.State().Delete(v.name) }
