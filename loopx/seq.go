package loopx

import (
	"iter"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// EachSeq is [Each] for an iterator; the key is the number of the element, from 0.
//
// Elements are pulled one at a time, when their iteration comes, so the iterator may be endless. The iterator runs on the
// event loop and must not block; it is stopped however the loop ends. A panic in it fails the loop with InternalError. If the
// loop is being left with an error, the panic is joined to that error. If a break or continue of an outer loop leaves the
// loop, the panic is reported to the event loop. A nil iterator is an empty one. Starting the iterator allocates, an
// iteration doesn't.
func EachSeq[V, T any](body step.Step[Item[int, V, T], T]) flow.Plan[iter.Seq[V], T] {
	return build[puller[V, T], iter.Seq[V]]("foreach", body, "EachSeq: the body is nil", puller[V, T]{})
}

type puller[V, T any] struct {
	pull func() (V, bool)
	stop func()
	next int
}

func (p *puller[V, T]) Open(in iter.Seq[V]) (start T) {
	p.next = 0
	if in != nil {
		p.pull, p.stop = iter.Pull(in)
	}
	return start
}

func (p *puller[V, T]) Next(carry T, item *Item[int, V, T]) bool {
	if p.pull == nil {
		return false
	}
	value, ok := p.pull()
	if ok {
		*item = Item[int, V, T]{p.next, value, carry}
		p.next++
	}
	return ok
}

// Close stops the iterator. The machine calls it as a cleanup of the loop's step, because stop runs code of the iterator.
func (p *puller[V, T]) Close() {
	if stop := p.stop; stop != nil {
		p.pull, p.stop = nil, nil // first, because the iterator may panic
		stop()
	}
}

// EachSeq2 is [EachSeq] for an iterator over pairs; the first of a pair is the key.
func EachSeq2[K, V, T any](body step.Step[Item[K, V, T], T]) flow.Plan[iter.Seq2[K, V], T] {
	return build[puller2[K, V, T], iter.Seq2[K, V]]("foreach", body, "EachSeq2: the body is nil", puller2[K, V, T]{})
}

type puller2[K, V, T any] struct {
	pull func() (K, V, bool)
	stop func()
}

func (p *puller2[K, V, T]) Open(in iter.Seq2[K, V]) (start T) {
	if in != nil {
		p.pull, p.stop = iter.Pull2(in)
	}
	return start
}

func (p *puller2[K, V, T]) Next(carry T, item *Item[K, V, T]) bool {
	if p.pull == nil {
		return false
	}
	key, value, ok := p.pull()
	if ok {
		*item = Item[K, V, T]{key, value, carry}
	}
	return ok
}

func (p *puller2[K, V, T]) Close() {
	if stop := p.stop; stop != nil {
		p.pull, p.stop = nil, nil // first, because the iterator may panic
		stop()
	}
}
