package flow

import (
	"slices"
	"sync"
)

// outlet is the way of the values of one run to its caller.
type outlet[T any] struct {
	wake func() // makes the caller look for a value; called without mu

	mu      sync.Mutex
	waiting []*emitted[T] // oldest first
	closed  bool          // nobody takes values any more: they are dropped
}

// emitted is a value on its way.
type emitted[T any] struct {
	value   T
	attempt int
	taken   func() // tells the step that its value was taken, or dropped; called once, on any goroutine
}

// put adds x. If the outlet is closed it is dropped at once.
func (o *outlet[T]) put(x *emitted[T]) {
	o.mu.Lock()
	closed := o.closed
	if !closed {
		o.waiting = append(o.waiting, x)
	}
	o.mu.Unlock()
	if closed {
		x.taken()
	} else {
		o.wake()
	}
}

// withdraw removes x, and reports whether it was still there.
func (o *outlet[T]) withdraw(x *emitted[T]) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.Index(o.waiting, x)
	if i < 0 {
		return false
	}
	o.waiting = slices.Delete(o.waiting, i, i+1)
	return true
}

// take removes the oldest value; nil if there is none.
func (o *outlet[T]) take() *emitted[T] {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.waiting) == 0 {
		return nil
	}
	x := o.waiting[0]
	o.waiting = slices.Delete(o.waiting, 0, 1)
	return x
}

// close drops the values that wait, and those that come.
func (o *outlet[T]) close() {
	o.mu.Lock()
	dropped := o.waiting
	o.closed, o.waiting = true, nil
	o.mu.Unlock()
	for _, x := range dropped {
		x.taken()
	}
}
