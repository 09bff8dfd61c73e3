package plan

import (
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// layout describes the memory of an activation: a [frame.Activation], then one field after the other. Layouts form a
// tree, whose root has no fields: each layout is its parent with one more field. So levels with the same fields in the
// same order find the same layout and share its pool: a plan that is made for one run can take memory that another plan
// has used before.
//
// There is a layout for each sequence of fields with which the memory of some level begins. Layouts
// are never dropped.
type layout struct {
	parent *layout
	field
	off, end uintptr // where the field begins and ends

	more sync.Map // by the key of a field, the *layout that has this field behind those of this layout

	once   sync.Once
	memory frame.Memory
}

// field is a part of a layout. The state of an op and a value between steps are different fields, even if they have the same
// type: the state has a Clear of its own, and a user may choose any type for the value.
type field struct {
	typ   reflect.Type
	state bool
	clear func(f *frame.Frame, off uintptr) // drops what the field refers to; nil if it refers to nothing
}

var empty = &layout{end: reflect.TypeFor[frame.Activation]().Size()}

type key struct {
	typ   reflect.Type
	state bool
}

func (l *layout) extend(x field) *layout {
	k := key{x.typ, x.state}
	if known, ok := l.more.Load(k); ok {
		return known.(*layout)
	}
	align := uintptr(x.typ.Align())
	off := (l.end + align - 1) &^ (align - 1)
	longer, _ := l.more.LoadOrStore(k, &layout{parent: l, field: x, off: off, end: off + x.typ.Size()})
	return longer.(*layout)
}

// pool returns the pool of activations with this layout, and makes it if necessary.
func (l *layout) pool() *frame.Memory {
	l.once.Do(func() {
		typ := reflect.StructOf(l.fields())
		l.memory.New = func() *frame.Activation {
			in := made(reflect.New(typ).UnsafePointer())
			in.Init(nil, &l.memory)
			return in
		}
		l.memory.Clear = l.cleaner()
	})
	return &l.memory
}

func (l *layout) fields() []reflect.StructField {
	if l.parent == nil {
		return []reflect.StructField{{Name: "Instance", Type: reflect.TypeFor[frame.Activation]()}}
	}
	var path []*layout
	for at := l; at.parent != nil; at = at.parent {
		path = append(path, at)
	}
	fields := empty.fields()
	for _, at := range slices.Backward(path) {
		fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(len(fields)), Type: at.typ})
	}
	return fields
}

// cleaner returns a function that drops what the fields refer to; nil if there is nothing to drop.
func (l *layout) cleaner() func(*frame.Activation) {
	type spot struct {
		off uintptr
		do  func(*frame.Frame, uintptr)
	}
	var spots []spot
	for at := l; at.parent != nil; at = at.parent {
		if at.clear != nil {
			spots = append(spots, spot{at.off, at.clear})
		}
	}
	switch len(spots) {
	case 0:
		return nil
	case 1:
		only := spots[0]
		return func(in *frame.Activation) { only.do(in.Frame(), only.off) }
	default:
		return func(in *frame.Activation) {
			f := in.Frame()
			for i := range spots {
				spots[i].do(f, spots[i].off)
			}
		}
	}
}
