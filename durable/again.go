package durable

import "reflect"

// Again is the result of a long-lived plan. If More is true the run begins anew under the same id, with In as its input and an
// empty history. [Run.Wait] returns the last Again, whose More is false.
//
//	poll := flow.Then(fetch, step.Map(func(s State) durable.Again[State] { return durable.Again[State]{In: s, More: !s.Done} }))
//
// A history grows with each call of a body, timer and signal, and Temporal bounds it: let a run begin anew at least once every few
// thousand calls, timers and signals. Signals that no step has received yet are kept for the next beginning.
type Again[In any] struct {
	In   In
	More bool
}

func (a Again[In]) again() (in reflect.Value, more bool) {
	return reflect.ValueOf(&a.In).Elem(), a.More
}

type anew interface {
	again() (in reflect.Value, more bool)
}

func continues(t reflect.Type) bool { return t.Implements(reflect.TypeFor[anew]()) }

// next returns the input of the next beginning, and whether there is one.
func next(out reflect.Value) (in reflect.Value, more bool) {
	if !out.IsValid() || !continues(out.Type()) {
		return in, false
	}
	a, _ := reflect.TypeAssert[anew](out)
	return a.again()
}
