package plan

import (
	"reflect"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/site"
)

// Emitter turns a node into levels of ops. It keeps a stack of functions to call, so it doesn't recurse.
type Emitter struct {
	level *draft // the level that is being filled
	todo  []func(*Emitter)
	done  Emitted // the level of the Node.compile that was completed last: in the end the outermost level
	tells bool    // steps record what they hold
}

// Step is one step of a level, as it was emitted.
type Step struct {
	Info    *site.Info
	In, Out reflect.Type
	Loop    bool
	Holds   []Held  // nil unless the Emitter tells
	Edges   [][]int // of a graph: see Part.Edges; nil unless the Emitter tells
	Op      frame.Op
}

// Held is a part that a step holds: the level of sub-steps, of a branch or of an undo, its handler, or its cancel hook.
type Held struct {
	Role  Role
	Node  *Node
	Steps []Step // the steps of the level; nil for Handler and Hook
	Bare  bool   // frame.Level.Bare of the level; for a Body only
	Under string // frame.Level.Under of the level
}

// Role is the part that a stage plays in the step that holds it.
type Role uint8

const (
	Next    Role = iota // a step of the sequence
	Body                // sub-steps
	Branch              // one of several parallel flows
	Element             // a flow for each element of the input
	Handler             // answers errors
	Hook                // called when the step is left
	Phase               // sub-steps on a fiber of their own, one phase after the other
	Undoing             // steps that undo the holder; as a rule the saga around runs them
)

// Emitted is a level together with a description of its steps.
type Emitted struct {
	*frame.Level
	Steps []Step
}

// Op adds the step n with the given op to the level. If the Emitter tells, Op also records the parts that the step holds.
func (e *Emitter) Op(n *Node, op frame.Op, holds ...Held) { e.Add(e.Step(n, op, holds...)) }

// Step makes the step n, for [Emitter.Add].
func (e *Emitter) Step(n *Node, op frame.Op, holds ...Held) Step {
	if !e.tells {
		holds = nil
	}
	return Step{Info: &n.Info, In: n.In, Out: n.Out, Loop: n.Loop, Holds: holds, Op: op}
}

// Add adds a step to the level.
func (e *Emitter) Add(s Step) { e.level.steps = append(e.level.steps, s) }

// Tells reports whether steps have to record what they hold.
func (e *Emitter) Tells() bool { return e.tells }

// Then schedules fn. The functions are a stack: the one that was scheduled last is called first.
func (e *Emitter) Then(fn func(*Emitter)) { e.todo = append(e.todo, fn) }

// Emit schedules the emission of n into the level, see Then.
func (e *Emitter) Emit(n *Node) { e.Then(func(e *Emitter) { n.emit(e, n) }) }

// Inline schedules the emission of n, which must be a single step. The step isn't added to the level: then is called with
// it instead.
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

// Level schedules the emission of n as a level of its own, whose input is an In. After that, then is called with the level.
func Level[In any](e *Emitter, n *Node, then func(*Emitter, Emitted)) {
	e.newLevel(n, inputOf[In], then)
}

func (e *Emitter) newLevel(n *Node, input func(*Emitter) uintptr, then func(*Emitter, Emitted)) {
	e.Then(func(e *Emitter) {
		outer := e.level
		inner := &draft{layout: empty}
		e.level = inner
		in := input(e)
		e.Then(func(e *Emitter) {
			e.level = outer
			then(e, inner.finish(in))
		})
		e.Emit(n)
	})
}

// inputOf makes the cell of an input of the level, and returns its offset.
func inputOf[In any](e *Emitter) uintptr {
	in := NewCell[In](e)
	At(e, in)
	return in.off
}

// compile schedules the emission of n as a level of its own, which e.done holds then.
func (e *Emitter) compile(n *Node) {
	e.newLevel(n, n.input, func(_ *Emitter, level Emitted) { e.done = level })
}

// Apart is for a stage n that a step holds and that has a program of its own. If the Emitter describes a plan (see Tells), Apart schedules the
// emission of n, for a description alone, and after that a call of then with the description. Otherwise it calls then at
// once, with the zero Held.
func (e *Emitter) Apart(n *Node, role Role, then func(*Emitter, Held)) {
	if !e.tells {
		then(e, Held{})
		return
	}
	e.Then(func(e *Emitter) { then(e, Held{Role: role, Node: n, Steps: e.done.Steps}) })
	e.compile(n)
}

func (e *Emitter) run(n *Node) Emitted {
	e.compile(n)
	for len(e.todo) > 0 {
		last := len(e.todo) - 1
		fn := e.todo[last]
		e.todo = e.todo[:last]
		fn(e)
	}
	return e.done
}

func compile(n *Node) *frame.Level { return new(Emitter).run(n).Level }
