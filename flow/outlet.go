package flow

import "sync"

// outlet passes the values of one run to its caller.
type outlet[T any] struct {
	wake func() // makes the caller look for a value; called without mu

	mu          sync.Mutex
	first, last *emitted[T] // the values that wait, oldest first
	spare       *emitted[T] // for the next values of [Output.Send], linked by next
	closed      bool        // nobody takes values any more: they are dropped
}

type emitted[T any] struct {
	value      T
	attempt    Attempt
	taken      func() // tells the step that its value was taken or dropped; called at most once for each put, on any goroutine
	prev, next *emitted[T]
	waits      bool          // it is in the list of the outlet
	dropped    bool          // the outlet has dropped it
	back       chan struct{} // for Output.Send: taken puts a token into it
}

// put adds x, or drops it if the outlet is closed.
func (o *outlet[T]) put(x *emitted[T]) {
	o.mu.Lock()
	closed := o.closed
	if x.dropped = closed; !closed {
		o.append(x)
	}
	o.mu.Unlock()
	if closed {
		x.taken()
	} else {
		o.wake()
	}
}

// append adds x as the newest; mu is held.
func (o *outlet[T]) append(x *emitted[T]) {
	x.waits, x.prev = true, o.last
	if o.last == nil {
		o.first = x
	} else {
		o.last.next = x
	}
	o.last = x
}

// withdraw removes x, and reports whether it still waited.
func (o *outlet[T]) withdraw(x *emitted[T]) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !x.waits {
		return false
	}
	o.remove(x)
	return true
}

// isDropped reports whether the outlet has dropped x.
func (o *outlet[T]) isDropped(x *emitted[T]) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return x.dropped
}

func (o *outlet[T]) take() *emitted[T] {
	o.mu.Lock()
	defer o.mu.Unlock()
	x := o.first
	if x != nil {
		o.remove(x)
		x.dropped = o.closed
	}
	return x
}

// remove takes x out; mu is held.
func (o *outlet[T]) remove(x *emitted[T]) {
	if x.prev == nil {
		o.first = x.next
	} else {
		x.prev.next = x.next
	}
	if x.next == nil {
		o.last = x.prev
	} else {
		x.next.prev = x.prev
	}
	x.prev, x.next, x.waits = nil, nil, false
}

// blank returns an emitted for Output.Send. Send may pass it to reuse once it has received the token from back, or has
// withdrawn the emitted.
func (o *outlet[T]) blank() *emitted[T] {
	o.mu.Lock()
	x := o.spare
	if x != nil {
		o.spare, x.next = x.next, nil
	}
	o.mu.Unlock()
	if x == nil {
		x = &emitted[T]{back: make(chan struct{}, 1)}
		x.taken = func() { x.back <- struct{}{} }
	}
	return x
}

// reuse keeps x for blank. No other code may refer to x any more.
func (o *outlet[T]) reuse(x *emitted[T]) {
	var none T
	x.value, x.attempt = none, Attempt{}
	o.mu.Lock()
	x.next, o.spare = o.spare, x
	o.mu.Unlock()
}

// close drops the values that wait, and makes put drop later ones.
func (o *outlet[T]) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	for x := o.take(); x != nil; x = o.take() {
		x.taken()
	}
}
