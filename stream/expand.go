package stream

import "iter"

// Expand gives, for each element, all that f makes of it, in order: the words of a line, say. The
// iterators run on the loop and must not block; they are ranged over only as far as there is room, so they
// may be endless. If f or an iterator panics the stream fails. A nil iterator is an empty one, a nil f is
// reported by flow.Plan.Err. [FlatMap] is for what waits or fails.
func Expand[In, A, B any](s Stream[In, A], f func(A) iter.Seq[B]) Stream[In, B] {
	return after("expand", s, missing(f == nil, "the function"), func(e env, up inlet[A]) inlet[B] {
		x := &expander[A, B]{hand: hand[A]{env: e, up: up}}
		x.next, x.stop = iter.Pull(func(yield func(unit) bool) { x.run(f, yield) })
		return x
	})
}

type expander[A, B any] struct {
	hand[A]

	next func() (unit, bool)
	stop func()
	out  []B // as long as it may become
	n    int // elements in it
}

// run is a coroutine: it yields when out is full, and when there is nothing in hand.
func (x *expander[A, B]) run(f func(A) iter.Seq[B], yield func(unit) bool) {
	for {
		for len(x.rest) > 0 {
			all := f(x.rest[0])
			x.rest = x.rest[1:]
			if all == nil {
				continue
			}
			for v := range all {
				x.out[x.n] = v
				if x.n++; x.n == len(x.out) && !yield(unit{}) {
					return
				}
			}
		}
		if !yield(unit{}) {
			return
		}
	}
}

func (x *expander[A, B]) poll(room int) ([]B, error) {
	if cap(x.out) < room {
		x.out = make([]B, room)
	}
	x.out, x.n = x.out[:room], 0
	if x.next(); x.n > 0 { // what is in hand, or the rest of an iterator
		return x.out[:x.n], nil
	}
	if err := x.fill(room); err != nil {
		return nil, err
	}
	if x.next(); x.n > 0 {
		return x.out[:x.n], nil
	}
	x.p.wake() // let others work before the next chunk
	return nil, errIdle
}

func (x *expander[A, B]) close(why error) {
	x.stop()
	x.hand.close(why)
}
