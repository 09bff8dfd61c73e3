package frame

import (
	"iter"
	"maps"
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
)

// Vars gives access to the dynamic state of a run: one map for all its fibers (S1).
type Vars Run

type vars map[string]any

// The state variables that the spec defines (§1.7); they are read-only.
const (
	ErrorInfo     = "error_info"
	LastException = "last_exception"
	AsyncStack    = "async_stack"
)

// Reserved reports whether the run maintains the variable itself.
func Reserved(key string) bool {
	return key == ErrorInfo || key == LastException || key == AsyncStack
}

// Get returns the variable key, and whether it is set.
func (v *Vars) Get(key string) (any, bool) {
	switch key {
	case ErrorInfo:
		info := fault.InfoOf((*Run)(v).current())
		return info, info != ""
	case LastException:
		last := (*Run)(v).current()
		return last, last != nil
	case AsyncStack:
		if s := v.cur; s != nil && s.top != nil {
			return s.top.Stack(), true
		}
		return nil, false
	}
	value, ok := v.all()[key]
	return value, ok
}

// Set stores a variable, which must not be Reserved.
func (v *Vars) Set(key string, value any) {
	k := (*Run)(v).errors()
	if k.vars == nil {
		k.vars = make(vars)
	}
	k.vars[key] = value
}

func (v *Vars) all() vars {
	if v.record == nil {
		return nil
	}
	return v.record.vars
}

// Delete forgets a variable.
func (v *Vars) Delete(key string) { delete(v.all(), key) }

// All yields the variables that were stored, in the order of their names. It leaves out variables that are added meanwhile,
// and those that are deleted before their turn.
func (v *Vars) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, key := range slices.Sorted(maps.Keys(v.all())) {
			if value, ok := v.all()[key]; ok && !yield(key, value) {
				return
			}
		}
	}
}

// Merge stores the variables of from that aren't set yet (S2).
func (v *Vars) Merge(from map[string]any) {
	for key, value := range from {
		if _, ok := v.all()[key]; !ok {
			v.Set(key, value)
		}
	}
}

// Owned is a variable that owns memory outside of Go: Free releases it when the run is recycled, unless it was replaced
// or deleted before. The parameter keeps user types from implementing Owned by accident.
type Owned interface{ Free(over Over) }

// Over is given to a variable whose run has ended. Only packages of this module
// can name it.
type Over struct{}

// clear frees the Owned variables and forgets all variables; it keeps the memory of the map if that is small. It calls no
// method of a value of a user's type: the value may be shared with other runs.
func (v *vars) clear() {
	if len(*v) == 0 {
		return
	}
	for _, value := range *v {
		if o, ok := value.(Owned); ok {
			o.Free(Over{})
		}
	}
	if len(*v) > retained {
		*v = nil
	}
	clear(*v)
}
