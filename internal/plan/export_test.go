package plan

import "github.com/futoin-go/asyncsteps/internal/frame"

// These functions give tests of another package, which may import ops, access to this one.

// FieldsOf returns the number of fields that the memory of the outermost level of s has.
func FieldsOf[In, Out any](s *Stage[In, Out]) int {
	m := MemoryOf(s)
	n := 0
	for at := find(empty, m); at != nil && at.parent != nil; at = at.parent {
		n++
	}
	return n
}

func find(l *layout, m *frame.Memory) (found *layout) {
	if &l.memory == m {
		return l
	}
	l.more.Range(func(_, longer any) bool {
		found = find(longer.(*layout), m)
		return found == nil
	})
	return found
}

// MemoryOf returns the memory from which the activations of the outermost level of s come.
func MemoryOf[In, Out any](s *Stage[In, Out]) *frame.Memory { return programOf(&s.source).level.Memory }
