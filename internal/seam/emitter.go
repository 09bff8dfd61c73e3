package seam

import (
	"reflect"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Emitter turns a node into the ops and cells of one instance. It keeps its
// own stack of what is left to do, so that it never recurses.
type Emitter struct {
	inst  *frame.Instance
	cells []frame.Cell
	level *frame.Level // being filled
	value any          // *Cell of the value at this point of the flow
	todo  []func(*Emitter)
	shape *shape
	count int // levels opened so far
	fresh bool
}

// shape is what all instances of a stage share: the infos of their levels, in
// the order in which the levels are opened.
type shape struct{ infos []*frame.Infos }

// Input is the cell of the value that reaches the stage being emitted.
func Input[T any](e *Emitter) *Cell[T] { return e.value.(*Cell[T]) }

// Output makes the cell of the value that leaves the stage being emitted.
func Output[T any](e *Emitter) *Cell[T] {
	c := NewCell[T](e)
	e.value = c
	return c
}

// NewCell makes a cell. It is cleared with the instance if that frees anything.
func NewCell[T any](e *Emitter) *Cell[T] {
	c := new(Cell[T])
	if refers(reflect.TypeFor[T]()) {
		e.cells = append(e.cells, c)
	}
	return c
}

// At goes on with the value in cell, a *Cell.
func (e *Emitter) At(cell any) { e.value = cell }

// Value is the *Cell of the value at this point.
func (e *Emitter) Value() any { return e.value }

// Instance is the instance being made.
func (e *Emitter) Instance() *frame.Instance { return e.inst }

// Op adds the op of a step to the level.
func (e *Emitter) Op(info *frame.Info, op frame.Op) {
	e.level.Ops = append(e.level.Ops, op)
	if e.fresh {
		*e.level.Infos = append(*e.level.Infos, info)
	}
}

// Then does something after everything asked for later than this call.
func (e *Emitter) Then(fn func(*Emitter)) { e.todo = append(e.todo, fn) }

// Emit emits n at this point of the flow, once the caller has returned.
func (e *Emitter) Emit(n *Node) { e.Then(n.emit) }

// Level emits n as a level of its own, and gives it to then. The value there
// is the level's result.
func (e *Emitter) Level(n *Node, then func(*frame.Level)) {
	e.Then(func(e *Emitter) {
		outer := e.level
		level := e.open()
		e.Then(func(e *Emitter) {
			e.level = outer
			then(level)
		})
		e.Emit(n)
	})
}

func (e *Emitter) open() *frame.Level {
	if e.fresh {
		e.shape.infos = append(e.shape.infos, new(frame.Infos))
	}
	infos := e.shape.infos[e.count]
	e.count++
	e.level = &frame.Level{Ops: make([]frame.Op, 0, len(*infos)), Infos: infos}
	return e.level
}

// run emits n and everything it asks for.
func (e *Emitter) run(n *Node, then func(*frame.Level)) {
	e.Level(n, then)
	for len(e.todo) > 0 {
		last := len(e.todo) - 1
		fn := e.todo[last]
		e.todo[last] = nil
		e.todo = e.todo[:last]
		fn(e)
	}
}
