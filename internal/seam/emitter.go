package seam

import (
	"reflect"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Emitter turns a node into levels of ops. It keeps its own stack of what is
// left to do, so that it never recurses.
type Emitter struct {
	level *draft // being filled
	todo  []func(*Emitter)
	done  Emitted // what all of it was emitted as
	tells bool    // steps say what they hold
}

// Step is one step of a level, as it was emitted.
type Step struct {
	Info    *frame.Info
	In, Out reflect.Type
	Loop    bool
	Holds   []Held  // nil unless somebody wants to know
	Edges   [][]int // of a graph: see Draft.edges; nil unless somebody wants to know
	op      frame.Op
}

// Held is what a step holds: levels of sub-steps or of branches, or a stage that
// answers its errors or its cancel.
type Held struct {
	Role  Role
	Node  *Node
	Steps []Step // of Body, Branch and Element
}

// Role says what a stage is to the step that holds it.
type Role uint8

const (
	Next    Role = iota // a step of the sequence
	Body                // sub-steps
	Branch              // one of several parallel flows
	Element             // a flow for each element of the input
	Handler             // answers errors
	Hook                // runs on cancel
	Phase               // sub-steps in a flow of their own, one after the other
	Undoing             // a flow that another step takes, to undo what this one does
)

// Emitted is a level, and its steps as data.
type Emitted struct {
	*frame.Level
	Steps []Step
}

// draft is a level that is being emitted.
type draft struct {
	steps  []Step
	layout *layout
	value  place   // of the value at this point of the flow
	free   []place // of values that no later step needs
	states []place
}

// place is where something is in the memory of the level.
type place struct {
	typ  reflect.Type
	mark any // a nil pointer to the type
	off  uintptr
	kept bool // somebody still needs it after the step that takes it
}

// add extends the memory of the level.
func (d *draft) add(x field) place {
	d.layout = d.layout.extend(x)
	return place{typ: x.typ, off: d.layout.off}
}

// Input is the cell of the value that reaches the step being emitted. The step
// must have taken the value before it writes its Output: they may be one cell.
func Input[T any](e *Emitter) Cell[T] {
	if t := reflect.TypeFor[T](); e.level.value.typ != t {
		panic("asyncsteps: a step of " + t.String() + " is given " + e.level.value.typ.String())
	}
	return Cell[T]{e.level.value.off}
}

// Output is the cell of the value that leaves the step being emitted. It is the
// one that came in, if that has the type and nobody else needs it: a chain of
// one type has one cell.
func Output[T any](e *Emitter) Cell[T] {
	d := e.level
	if in := d.value; !in.kept {
		if in.typ == reflect.TypeFor[T]() {
			return Cell[T]{in.off}
		}
		defer func() { d.free = append(d.free, in) }()
	}
	c := NewCell[T](e)
	At(e, c)
	return c
}

// NewCell makes a cell, of memory that is free if there is some. It is cleared
// with the activation if that lets go of anything.
func NewCell[T any](e *Emitter) Cell[T] {
	t := reflect.TypeFor[T]()
	d := e.level
	for i, p := range d.free {
		if p.typ == t {
			last := len(d.free) - 1
			d.free[i] = d.free[last]
			d.free = d.free[:last]
			return Cell[T]{p.off}
		}
	}
	x := field{typ: t}
	if refers(t) {
		x.clear = func(f *frame.Frame, off uintptr) {
			var zero T
			*at[T](f, off) = zero
		}
	}
	return Cell[T]{d.add(x).off}
}

// Free says that no later step needs the cell.
func Free[T any](e *Emitter, c Cell[T]) {
	e.level.free = append(e.level.free, place{typ: reflect.TypeFor[T](), off: c.off})
}

// A Stater is what an op remembers of one run. Clear drops what it refers to,
// when the level is left; the rest serves the next run of any plan that has an
// op with the same state.
type Stater[S any] interface {
	*S
	Clear()
}

// A keeper is a state that may know, for all of its type, that Clear has nothing
// to drop. It is asked with a nil receiver.
type keeper interface{ keeps() bool }

// State is the cell of what an op remembers of one run, an S. Steps of a level
// follow each other, so all that remember an S share it.
func State[S any, P Stater[S]](e *Emitter) Cell[S] {
	t := reflect.TypeFor[S]()
	d := e.level
	for _, p := range d.states {
		if p.typ == t {
			return Cell[S]{p.off}
		}
	}
	x := field{typ: t, state: true}
	if k, ok := any(P(nil)).(keeper); !ok || k.keeps() {
		x.clear = func(f *frame.Frame, off uintptr) { P(at[S](f, off)).Clear() }
	}
	p := d.add(x)
	d.states = append(d.states, p)
	return Cell[S]{p.off}
}

// Keep says that the value at this point is needed after the step that takes it,
// until release is called.
func (e *Emitter) Keep() (release func(*Emitter)) {
	d := e.level
	if d.value.kept {
		return func(*Emitter) {}
	}
	d.value.kept = true
	p := d.value
	return func(e *Emitter) {
		p.kept = false
		if e.level.value.off == p.off {
			e.level.value.kept = false
			return
		}
		e.level.free = append(e.level.free, p)
	}
}

// At goes on with the value in c.
func At[T any](e *Emitter, c Cell[T]) {
	e.level.value = place{typ: reflect.TypeFor[T](), mark: (*T)(nil), off: c.off}
}

// Op adds the step n to the level, and says what it holds.
func (e *Emitter) Op(n *Node, op frame.Op, holds ...Held) { e.add(e.step(n, op, holds...)) }

func (e *Emitter) step(n *Node, op frame.Op, holds ...Held) Step {
	if !e.tells {
		holds = nil
	}
	return Step{Info: &n.Info, In: n.In, Out: n.Out, Loop: n.Loop, Holds: holds, op: op}
}

func (e *Emitter) add(s Step) { e.level.steps = append(e.level.steps, s) }

// Then does something after everything asked for later than this call.
func (e *Emitter) Then(fn func(*Emitter)) { e.todo = append(e.todo, fn) }

// Emit emits n at this point of the flow, once the caller has returned.
func (e *Emitter) Emit(n *Node) { e.Then(n.emit) }

// Inline emits n, a single step, at this point of the flow, but gives it to then
// instead of adding it to the level.
func (e *Emitter) Inline(n *Node, then func(*Emitter, Step)) {
	e.Then(func(e *Emitter) {
		d := e.level
		last := len(d.steps) - 1
		only := d.steps[last]
		d.steps = d.steps[:last]
		then(e, only)
	})
	e.Emit(n)
}

// Level emits n as a level of its own whose input is an In, and gives it to then.
func Level[In any](e *Emitter, n *Node, then func(*Emitter, Emitted)) {
	e.Then(func(e *Emitter) {
		outer := e.level
		inner := &draft{layout: empty}
		e.level = inner
		in := NewCell[In](e)
		At(e, in)
		e.Then(func(e *Emitter) {
			e.level = outer
			then(e, inner.finish(in.off))
		})
		e.Emit(n)
	})
}

// finish makes the level of a draft whose input is at in.
func (d *draft) finish(in uintptr) Emitted {
	infos := make(frame.Infos, len(d.steps))
	l := &frame.Level{
		Ops: make([]frame.Op, len(d.steps)), Infos: &infos, Memory: d.layout.pool(),
		In: in, Out: d.value.off, Result: d.value.mark,
	}
	for i, s := range d.steps {
		l.Ops[i], infos[i] = s.op, s.Info
	}
	return Emitted{l, d.steps}
}

// apart gives what a step holds that has a program of its own: its steps are
// emitted here only to tell of them.
func (e *Emitter) apart(n *Node, role Role, then func(*Emitter, Held)) {
	if !e.tells {
		then(e, Held{})
		return
	}
	outer := e.done
	e.Then(func(e *Emitter) {
		held := Held{role, n, e.done.Steps}
		e.done = outer
		then(e, held)
	})
	n.compile(e)
}

// run emits n and everything it asks for as a level of its own.
func (e *Emitter) run(n *Node) Emitted {
	n.compile(e)
	for len(e.todo) > 0 {
		last := len(e.todo) - 1
		fn := e.todo[last]
		e.todo[last] = nil
		e.todo = e.todo[:last]
		fn(e)
	}
	return e.done
}

// compile gives the level that n is.
func compile(n *Node) *frame.Level { return new(Emitter).run(n).Level }
