package op

import (
	"reflect"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Wait is the wait of a suspended step for a value from outside.
type Wait[T any] struct {
	frame.Wait
	value T
}

// Clear drops a value that nobody took.
func (s *Wait[T]) Clear() {
	var zero T
	s.value = zero
}

// Keeps reports whether a T can refer to memory, so that Clear has something to drop.
func (*Wait[T]) Keeps() bool { return plan.Refers(reflect.TypeFor[T]()) }

// Succeed completes the wait of generation gen with v. It reports false if that wait is over or sealed, or was
// completed before, or if a deterministic loop refuses the completion.
func (s *Wait[T]) Succeed(gen uint64, v T) bool {
	if s.ClaimHere(gen) {
		s.value = v
		s.CompleteHere()
		return true
	}
	if !s.Claim(gen) {
		return false
	}
	s.value = v
	s.Complete(nil)
	return true
}

// Fail completes the wait of generation gen with err. It reports false where Succeed does.
func (s *Wait[T]) Fail(gen uint64, err error) bool {
	if s.ClaimHere(gen) {
		s.FailHere(err)
		return true
	}
	if !s.Claim(gen) {
		return false
	}
	s.Complete(err)
	return true
}

// Take ends the wait and moves its value to the cell. If the wait was completed with an error, the step fails with it.
func (s *Wait[T]) Take(f *frame.Frame, to *T) frame.Verdict {
	if err := s.Close(f); err != nil {
		return f.Fail(err)
	}
	var zero T
	*to, s.value = s.value, zero
	return frame.Done
}
