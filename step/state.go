package step

import (
	"iter"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Names of the state variables that FTN12 §1.7 defines. They can be read, but
// neither set nor deleted, and [State.All] leaves them out.
const (
	ErrorInfo     = frame.ErrorInfo     // string: info of the error raised last; in a handler, of the error it was given
	LastException = frame.LastException // error: the same one
	AsyncStack    = frame.AsyncStack    // []fault.Frame: see Scope.Trace
)

// State is the dynamic state of a run: one map for all its steps and branches,
// not shared with other runs. It is for programs that need variables by
// name; [Var] gives one a type.
//
// It is as valid as the scope it comes from, and like it for code that the run
// calls only. On an invalid one reads find nothing and writes do nothing.
//
// Spec: FTN12 §2.2.1 state; rule S1.
type State struct{ ref frame.Ref }

// Get gives the variable key; ok is false if there is none.
func (s State) Get(key string) (value any, ok bool) {
	if v := s.vars(); v != nil {
		return v.Get(key)
	}
	return nil, false
}

// Set stores a variable; it reports false if the step has ended or the name is
// one of those that the run maintains itself.
func (s State) Set(key string, value any) bool {
	v := s.vars()
	if v == nil || frame.Reserved(key) {
		return false
	}
	v.Set(key, value)
	return true
}

// Delete forgets a variable; that there is none is no error.
func (s State) Delete(key string) {
	if v := s.vars(); v != nil {
		v.Delete(key)
	}
}

// All gives the variables that were set, in the order of their names. Like Get it
// looks when it is used. It allocates.
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
