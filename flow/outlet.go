package flow

import (
	"container/list"
	"sync"
)

// outlet is the way of the values of one run to its caller.
type outlet[T any] struct {
	wake func() // makes the caller look for a value; called without mu

	mu      sync.Mutex
	waiting list.List // of *emitted[T], oldest first
	closed  bool      // nobody takes values any more: they are dropped
}

// emitted is a value on its way.
type emitted[T any] struct {
	value   T
	attempt Attempt
	at      *list.Element // its place in outlet.waiting; nil if it isn't there
	taken   func()        // tells the step that its value was taken, or dropped; called once at most, on any goroutine
}

// put adds x. If the outlet is closed, x is dropped at once.
func (o *outlet[T]) put(x *emitted[T]) {
	o.mu.Lock()
	closed := o.closed
	if !closed {
		x.at = o.waiting.PushBack(x)
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
	if x.at == nil {
		return false
	}
	o.remove(x)
	return true
}

// take removes the oldest value; nil if there is none.
func (o *outlet[T]) take() *emitted[T] {
	o.mu.Lock()
	defer o.mu.Unlock()
	first := o.waiting.Front()
	if first == nil {
		return nil
	}
	x := first.Value.(*emitted[T])
	o.remove(x)
	return x
}

// remove takes x out; mu is held.
func (o *outlet[T]) remove(x *emitted[T]) {
	o.waiting.Remove(x.at)
	x.at = nil
}

// close drops the values that wait, and has put drop those that come.
func (o *outlet[T]) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	for x := o.take(); x != nil; x = o.take() {
		x.taken()
	}
}
