package step

import (
	"iter"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Names of the state variables that the run maintains. They can be read, but neither set nor
// deleted, and [State.All] leaves them out.
//
//spec:ftn12 §1.7
const (
	ErrorInfo     = "error_info"     // string: info of the last error that was raised; in a handler, of the error that is handled
	LastException = "last_exception" // error: the error that ErrorInfo is about
	AsyncStack    = "async_stack"    // []fault.Frame: see Scope.Trace
)

// State is the dynamic state of a run: one map for all its steps and branches, not shared with
// other runs. It is for programs that need variables by name; [Var] adds a type to a variable.
//
// A State is valid as long as the scope it comes from, and like the scope it is only for code
// that the run calls. On an invalid State, reads find nothing, writes do nothing, and the step that
// is executing fails, as for a [Scope] whose step has ended.
//
//spec:ftn12 §2.2.1 state; rule S1
type State struct{ ref frame.Ref }

// Get returns the variable key; ok is false if there is none.
func (s State) Get(key string) (value any, ok bool) {
	if v := s.vars(); v != nil {
		return v.Get(key)
	}
	return nil, false
}

// Set stores a variable; it reports false if the step has ended, or if the run
// maintains the variable key itself.
func (s State) Set(key string, value any) bool {
	v := s.vars()
	if v == nil || frame.Reserved(key) {
		return false
	}
	v.Set(key, value)
	return true
}

// Delete removes a variable; it is no error if there is none.
func (s State) Delete(key string) {
	if v := s.vars(); v != nil {
		v.Delete(key)
	}
}

// All returns an iterator over the variables that were set, in the order of their names. It visits the
// variables that exist when the iteration begins, except those that are deleted before their turn.
func (s State) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		if v := s.vars(); v != nil {
			v.All()(yield)
		}
	}
}

func (s State) vars() *frame.Vars {
	if f := s.ref.Frame(); f != nil {
		return f.Run().Vars()
	}
	return nil
}
