package seam

import (
	"reflect"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Slot is where a suspended step gets its value from outside.
type Slot[T any] struct {
	frame.Slot
	value T
}

// Clear drops a value that nobody took.
func (s *Slot[T]) Clear() {
	var zero T
	s.value = zero
}

// keeps implements keeper.
func (*Slot[T]) keeps() bool { return refers(reflect.TypeFor[T]()) }

// Succeed completes the wait gen with v. It reports false if that wait is over.
func (s *Slot[T]) Succeed(gen uint64, v T) bool {
	if !s.Begin(gen) {
		return false
	}
	s.value = v
	s.Commit(nil)
	return true
}

// Fail completes the wait gen with err.
func (s *Slot[T]) Fail(gen uint64, err error) bool {
	if !s.Begin(gen) {
		return false
	}
	s.Commit(err)
	return true
}

// Take ends the wait and moves its value to the cell.
func (s *Slot[T]) Take(f *frame.Frame, to *T) frame.Verdict {
	var zero T
	if err := s.Close(f); err != nil {
		s.value = zero
		return f.Fail(err)
	}
	*to, s.value = s.value, zero
	return frame.Done
}
