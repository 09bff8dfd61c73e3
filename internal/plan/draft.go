package plan

import (
	"reflect"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

type draft struct {
	steps  []Step
	layout *layout
	value  slot   // the current value, which the next step gets
	free   []slot // slots of values that no later step needs
	states []slot
}

// slot is the place of a value in the memory of a level.
type slot struct {
	typ  reflect.Type
	mark any // a nil pointer to the type; nil unless At has made the slot
	off  uintptr
	kept bool // a later step still needs the value
}

func (d *draft) add(x field) slot {
	d.layout = d.layout.extend(x)
	return slot{typ: x.typ, off: d.layout.off}
}

// Input returns the cell of the value that the step being emitted gets. The step must read the
// value before it writes its Output: they may be the same cell.
func Input[T any](e *Emitter) Cell[T] { return Cell[T]{e.input((*T)(nil))} }

func (e *Emitter) input(mark any) uintptr {
	if t := marked(mark); e.level.value.typ != t {
		panic("asyncsteps: a step of " + t.String() + " is given " + e.level.value.typ.String())
	}
	return e.level.value.off
}

// marked returns the type to which mark is a nil pointer. Functions that need a type and not its values take such a mark:
// they exist once then, and not once per type in each program.
func marked(mark any) reflect.Type { return reflect.TypeOf(mark).Elem() }

// Output returns the cell of the result of the step being emitted. If the input has the same
// type and no other step needs it, the result gets the cell of the input: so a chain of steps
// of one type uses one cell.
func Output[T any](e *Emitter) Cell[T] { return Cell[T]{e.output((*T)(nil), clearAt[T])} }

func (e *Emitter) output(mark any, wipe func(*frame.Frame, uintptr)) uintptr {
	d := e.level
	in := d.value
	if !in.kept && in.typ == marked(mark) {
		return in.off
	}
	off := d.newCell(mark, wipe)
	d.at(mark, off)
	if !in.kept {
		d.free = append(d.free, in)
	}
	return off
}

// NewCell returns a free cell for a T if there is one, otherwise it makes one. If a T can refer to other memory, the cell
// is cleared with the activation.
func NewCell[T any](e *Emitter) Cell[T] { return Cell[T]{e.level.newCell((*T)(nil), clearAt[T])} }

func clearAt[T any](f *frame.Frame, off uintptr) {
	var zero T
	*at[T](f, off) = zero
}

func (d *draft) newCell(mark any, wipe func(*frame.Frame, uintptr)) uintptr {
	t := marked(mark)
	for i, p := range d.free {
		if p.typ == t {
			last := len(d.free) - 1
			d.free[i] = d.free[last]
			d.free = d.free[:last]
			return p.off
		}
	}
	if !Refers(t) {
		wipe = nil
	}
	return d.add(field{typ: t, clear: wipe}).off
}

// Free marks the cell as one that no later step needs.
func Free[T any](e *Emitter, c Cell[T]) {
	e.level.free = append(e.level.free, slot{typ: marked((*T)(nil)), off: c.off})
}

// A Stater is the state of an op in one run. Clear drops what the state refers to. It is called when the memory is given
// back, unless the state is a keeper that needs no Clear. The rest stays as it is for the next run that gets the memory,
// perhaps a run of another plan.
type Stater[S any] interface {
	*S
	Clear()
}

// A keeper is a state that may have nothing to drop. Keeps reports whether Clear is needed; it is called with a nil receiver.
type keeper interface{ Keeps() bool }

// State returns the cell for the state that an op has in one run, an S. Steps of a level run
// one after another, so all ops with the state S share the cell.
func State[S any, P Stater[S]](e *Emitter) Cell[S] {
	return Cell[S]{e.level.state(P(nil), func(f *frame.Frame, off uintptr) { P(at[S](f, off)).Clear() })}
}

func (d *draft) state(mark any, wipe func(*frame.Frame, uintptr)) uintptr {
	t := marked(mark)
	for _, p := range d.states {
		if p.typ == t {
			return p.off
		}
	}
	if k, ok := mark.(keeper); ok && !k.Keeps() {
		wipe = nil
	}
	p := d.add(field{typ: t, state: true, clear: wipe})
	d.states = append(d.states, p)
	return p.off
}

// Keep keeps the current value: no step writes another value into its cell until release is called. Don't call release
// while the value is still the current one.
func (e *Emitter) Keep() (release func(*Emitter)) {
	d := e.level
	if d.value.kept {
		return func(*Emitter) {}
	}
	d.value.kept = true
	p := d.value
	return func(e *Emitter) { e.level.free = append(e.level.free, p) }
}

// At makes the value in c the current one.
func At[T any](e *Emitter, c Cell[T]) { e.level.at((*T)(nil), c.off) }

func (d *draft) at(mark any, off uintptr) { d.value = slot{typ: marked(mark), mark: mark, off: off} }

// Value returns the place of the current value.
func (e *Emitter) Value() Value { return Value{e.level.value} }

// Value is the place of a value; see [Emitter.SetValue].
type Value struct{ slot }

// SetValue makes an earlier value the current one. See also [At].
func (e *Emitter) SetValue(v Value) { e.level.value = v.slot }

func (d *draft) finish(in uintptr) Emitted {
	infos := make(frame.Infos, len(d.steps))
	l := &frame.Level{
		Ops: make([]frame.Op, len(d.steps)), Infos: &infos, Memory: d.layout.pool(),
		In: in, Out: d.value.off, Result: d.value.mark,
	}
	for i, s := range d.steps {
		l.Ops[i], infos[i] = s.Op, s.Info
	}
	return Emitted{l, d.steps}
}
