package plan

import (
	"errors"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Node is a stage as data. It is immutable once built and may be part of any
// number of plans.
type Node struct {
	frame.Info
	In, Out reflect.Type
	Loop    bool  // a label can be given to it
	Bad     error // why it can't be run: a nil body, a bound below one, …
	Handled bool  // it is a single step that has a handler of its own
	kids    []*Node
	steps   steps
	emit    func(*Emitter)
	compile func(*Emitter) // emits it as a level of its own
	sound   atomic.Bool    // it and all it holds have been found to be runnable
}

// Origin is where a stage was built.
type Origin = frame.Origin

// steps is how many steps a stage adds to its level, where several stands for any
// number above one: a name or a handler given to a single one belongs to that step.
type steps uint8

const (
	one     steps = 1
	several steps = 2
)

// NewNode describes a stage of kind that is one step and holds kids.
func NewNode[In, Out any](kind string, emit func(*Emitter), kids ...*Node) *Node {
	n := &Node{
		Info:  frame.Info{Kind: kind, Made: frame.Here()},
		In:    reflect.TypeFor[In](),
		Out:   reflect.TypeFor[Out](),
		kids:  kids,
		steps: one,
		emit:  emit,
	}
	n.compile = func(e *Emitter) { Level[In](e, n, func(_ *Emitter, level Emitted) { e.done = level }) }
	return n
}

// Sequence makes n a stage that adds the steps of its kids to its level, beside
// own ones, one at the most.
func (n *Node) Sequence(own int) *Node {
	n.steps = steps(own)
	for _, k := range n.kids {
		if n.steps = min(n.steps+k.steps, several); k.steps == one {
			n.Handled = k.Handled
		}
	}
	n.Handled = n.Handled && n.steps == one
	return n
}

// One says whether the stage adds a single step to its level.
func (n *Node) One() bool { return n.steps == one }

// Several says that the stage adds more than one step to its level.
func (n *Node) Several() { n.steps = several }

// Reject marks the stage as one that can't be run. The first reason counts.
func (n *Node) Reject(what string) {
	if n.Bad == nil {
		n.Bad = &fault.Error{
			Code: fault.InvalidRequest, Info: what, Name: n.Name, Site: n.Site(),
		}
	}
}

// Relabel says what a stage is that was built for another one. missing is what is
// wrong if its body is nil.
func (n *Node) Relabel(kind, missing string) {
	n.Kind = kind
	if n.Bad != nil {
		n.Bad = nil
		n.Reject(missing)
	}
}

// Calls notes fn as the function of the program that the stage calls: it gives the
// stage a name. It is a function, and may be nil. Calls reports whether it isn't.
func (n *Node) Calls(fn any) bool {
	n.Code = reflect.ValueOf(fn).Pointer()
	return n.Code != 0
}

// Err joins what is wrong with the stage and everything it holds; nil if it
// can be run.
func (n *Node) Err() error {
	var errs []error
	seen := map[*Node]bool{n: true}
	for todo := []*Node{n}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n.Bad != nil {
			errs = append(errs, n.Bad)
		}
		for _, kid := range slices.Backward(n.kids) {
			if !seen[kid] && !kid.sound.Load() {
				seen[kid] = true
				todo = append(todo, kid)
			}
		}
	}
	if errs == nil {
		for n := range seen {
			n.sound.Store(true)
		}
	}
	return errors.Join(errs...)
}
