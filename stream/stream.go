package stream

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Stream describes how elements of type T are made from an input of type In: a
// source, and the operators behind it. Nothing runs before a sink, such as
// [Collect], has made a plan of it and the plan is run.
//
// A Stream is an immutable value, like a plan: build it once, give it to any number of operators and
// sinks, run it from any number of goroutines. Each run opens the source anew. The zero Stream can't be
// run, which flow.Plan.Err reports.
type Stream[In, T any] struct{ d *design[In, T] }

// design is a stream as data. It is immutable.
type design[In, T any] struct {
	node *plan.Node
	open func(e env, in In) inlet[T] // opens the stages for one run, on the loop of the run
}

// given returns the design of s. For the zero Stream it returns a design that can't be run. The error of that design names
// kind, the operator or sink that was given s.
func (s Stream[In, T]) given(kind string) *design[In, T] {
	if s.d != nil {
		return s.d
	}
	return &design[In, T]{node: op.Missing[In, T](kind + ": the zero Stream has no source").Node()}
}

// from makes the Stream of a source. bad is the reason why its arguments are invalid, or "".
func from[In, T any](kind string, bad string, open func(e env, in In) inlet[T]) Stream[In, T] {
	n := op.Segment[In, In, T](kind, "", nil)
	return finished(kind, bad, &design[In, T]{n, func(e env, in In) inlet[T] {
		e = e.at(kind, 0)
		return counting(e, opening(e, nil, func() inlet[T] { return open(e, in) }))
	}})
}

// after makes the Stream of an operator behind s. holds are the nodes of what the operator runs. bad is the reason why
// other arguments of the operator are invalid, or "".
func after[In, A, B any](
	kind string, s Stream[In, A], bad string, open func(e env, up inlet[A]) inlet[B], holds ...*plan.Node,
) Stream[In, B] {
	return behind(kind, "", s, bad, open, holds...)
}

// behind is after for an operator that another process may be unable to repeat. confined is the reason, or "" if every
// process can repeat the operator.
func behind[In, A, B any](
	kind, confined string, s Stream[In, A], bad string, open func(e env, up inlet[A]) inlet[B], holds ...*plan.Node,
) Stream[In, B] {
	up := s.given(kind)
	n := op.Segment[In, A, B](kind, confined, up.node, holds...)
	return finished(kind, bad, &design[In, B]{n, func(e env, in In) inlet[B] {
		opened := up.open(e, in)
		e = e.at(kind, 1)
		return counting(e, opening(e, opened.close, func() inlet[B] { return open(e, opened) }))
	}})
}

// opening opens a stage by calling open. If a function of the user's panics in open, opening returns a stage that fails with
// the panic. The close of that stage calls closeUp, which closes the stages before it. closeUp is nil for a source.
func opening[T any](e env, closeUp func(error), open func() inlet[T]) (opened inlet[T]) {
	failing := &fails[T]{closeUp: closeUp}
	guarding(failing.close, func() {
		if failing.err = e.call(func() { opened = open() }); failing.err != nil {
			opened = failing
		}
	})
	return opened
}

// guarding opens a stage by calling open, when other stages are open already. If a function of the user's ends the goroutine in
// open, guarding calls closeOthers to close these stages, because no other code has a reference to them.
func guarding(closeOthers func(error), open func()) {
	returned := false
	defer func() {
		if !returned {
			closeOthers(ErrEnded)
		}
	}()
	open()
	returned = true
}

// fails is a stage that has no elements and fails with err.
type fails[T any] struct {
	err     error
	closeUp func(error) // closes the stages before; nil if there are none
}

func (f *fails[T]) poll(int) ([]T, error) { return nil, f.err }

func (f *fails[T]) close(why error) {
	if f.closeUp != nil {
		f.closeUp(why)
	}
}

func finished[In, T any](kind, bad string, d *design[In, T]) Stream[In, T] {
	if bad != "" {
		d.node.Reject(kind + ": " + bad)
	}
	return Stream[In, T]{d}
}

// with sets the parameters that descriptions show for the last stage of s, and returns s. It changes that stage, so no other
// Stream may have it.
func (s Stream[In, T]) with(parameters func() []plan.Parameter) Stream[In, T] {
	s.d.node.Tell(parameters)
	return s
}

// missing returns an error text if isNil is true, and otherwise "". what names the argument.
func missing(isNil bool, what string) string {
	if isNil {
		return what + " is nil"
	}
	return ""
}
