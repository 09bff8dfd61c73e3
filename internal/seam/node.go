package seam

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
	Kids    []Kid
	Loop    bool  // a label can be given to it
	Wraps   bool  // it is no step of its own: its only kid is
	Bad     error // why it can't be run: a nil body, a bound below one, …
	emit    func(*Emitter)
	sound   atomic.Bool // it and all it holds have been found to be runnable
}

// Kid is a stage held by another one.
type Kid struct {
	Node *Node
	Role Role
}

// Role says what a stage is to the stage that holds it.
type Role uint8

const (
	Next    Role = iota // the next step of the same level
	Body                // sub-steps
	Branch              // one of several parallel flows
	Handler             // answers errors
	Hook                // runs on cancel
)

// NewNode describes a stage of kind that is built skip levels above the caller.
func NewNode[In, Out any](kind string, skip int, emit func(*Emitter), kids ...Kid) *Node {
	return &Node{
		Info: frame.Info{Kind: kind, PC: frame.Caller(skip + 1)},
		In:   reflect.TypeFor[In](),
		Out:  reflect.TypeFor[Out](),
		Kids: kids,
		emit: emit,
	}
}

// Reject marks the stage as one that can't be run. The first reason counts.
func (n *Node) Reject(what string) {
	if n.Bad == nil {
		n.Bad = &fault.Error{
			Code: fault.InvalidRequest, Info: what, Name: n.Name, Site: n.Site(),
		}
	}
}

// Relabel says what a stage is that was built for another one, and where: skip
// levels above the caller. missing is what is wrong if its body is nil.
func (n *Node) Relabel(kind string, skip int, missing string) {
	n.Kind = kind
	n.PC = frame.Caller(skip + 1)
	if n.Bad != nil {
		n.Bad = nil
		n.Reject(missing)
	}
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
		for _, k := range slices.Backward(n.Kids) {
			if kid := k.Node; !seen[kid] && !kid.sound.Load() {
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
