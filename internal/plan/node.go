package plan

import (
	"errors"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/site"
)

// Node is a stage as data. It is immutable once built and may be part of any
// number of plans.
type Node struct {
	site.Info
	In, Out reflect.Type
	Loop    bool  // it is a loop, so it may have a label
	Bad     error // why it can't be run, such as a nil body or a bound of zero; nil if it can
	Handled bool  // it is a single step that has a handler of its own
	Saga    Saga  // its relation to sagas around it
	kids    []*Node
	steps   steps
	emit    func(*Emitter, *Node)
	input   func(*Emitter) uintptr // makes the cell of the input of a level for the stage alone, and returns its offset
	sound   atomic.Bool            // the stage and everything it holds have been checked and can be run
}

// Saga is the relation of a stage to sagas around it.
type Saga uint8

const (
	NoSaga    Saga = iota // it has nothing to do with sagas
	NeedsSaga             // a saga around it undoes its effect
	IsSaga                // it is a saga, which undoes the effects of stages in it
	HidesSaga             // stages in it don't find sagas around it
)

// Unsaved returns a stage in n, or n itself, that needs a saga and has none around it in n; nil if there is none. It
// doesn't look inside of stages that hide sagas: their constructors check what they hold.
func (n *Node) Unsaved() *Node {
	seen := map[*Node]bool{n: true}
	for todo := []*Node{n}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch n.Saga {
		case NeedsSaga:
			return n
		case IsSaga, HidesSaga:
			continue
		case NoSaga:
		}
		for _, kid := range slices.Backward(n.kids) {
			if !seen[kid] {
				seen[kid] = true
				todo = append(todo, kid)
			}
		}
	}
	return nil
}

// Origin is the place where a stage was built.
type Origin = site.Origin

// steps counts the steps that a stage adds to its level: none, one, or several. The name or
// handler of a stage with a single step belongs to that step.
type steps uint8

const (
	one     steps = 1
	several steps = 2
)

// NewNode describes a stage of the given kind that is one step and holds kids. emit is called with the node.
func NewNode[In, Out any](kind string, emit func(*Emitter, *Node), kids ...*Node) *Node {
	return newNode(kind, site.Here(), (*In)(nil), (*Out)(nil), inputOf[In], emit, kids)
}

func newNode(
	kind string, made Origin, in, out any, input func(*Emitter) uintptr, emit func(*Emitter, *Node), kids []*Node,
) *Node {
	return &Node{
		Info: site.Info{Kind: kind, Made: made}, In: marked(in), Out: marked(out), kids: kids, steps: one, input: input, emit: emit,
	}
}

// Sequence makes n a stage without a level of its own: it adds the steps of its kids to the level that it stands in,
// and one step of its own if own is 1 instead of 0.
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

// One reports whether the stage adds a single step to its level.
func (n *Node) One() bool { return n.steps == one }

// Several marks the stage as one that adds more than one step to its level.
func (n *Node) Several() { n.steps = several }

// Reject marks the stage as one that can't be run. The first reason counts.
func (n *Node) Reject(what string) {
	if n.Bad == nil {
		n.Bad = &fault.Error{
			Code: fault.InvalidRequest, Info: what, Name: n.Name, Site: n.Site(),
		}
	}
}

// Relabel changes the kind of a stage that a constructor has made by calling another one. If
// the stage was rejected, as for a nil body, missing becomes the reason.
func (n *Node) Relabel(kind, missing string) {
	n.Kind = kind
	if n.Bad != nil {
		n.Bad = nil
		n.Reject(missing)
	}
}

// Calls records fn, a function that may be nil, as the function that the stage calls. Without a
// name of its own the stage is shown with the name of fn. Calls reports whether fn isn't nil.
func (n *Node) Calls(fn any) bool {
	n.Code = reflect.ValueOf(fn).Pointer()
	return n.Code != 0
}

// Err returns the errors of the stage and of everything it holds, joined; nil if the stage
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
