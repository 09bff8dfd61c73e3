package stream

import (
	"iter"

	"github.com/futoin-go/asyncsteps/internal/op"
)

// Expand gives, for each element, all that f makes of it, in order: the words of a line, say. The
// iterators run on the loop and must not block; they are ranged over only as far as there is room, so they
// may be endless. A panic of f or of an iterator is the error of the element, as with [Func], after what the iterator
// has given. An element whose iterator has not come to its end when the stream ends is lost. A nil iterator is an empty
// one, a nil f is reported by flow.Plan.Err. [FlatMap] is for what waits or fails.
func Expand[In, A, B any](s Stream[In, A], f func(A) iter.Seq[B]) Stream[In, B] {
	return after("expand", s, missing(f == nil, "the function"), func(e env, up inlet[A]) inlet[B] {
		x := &expander[A, B]{hand: hand[A]{env: e, up: up}, f: f}
		x.next, x.stop = iter.Pull(x.run)
		return x
	})
}

type expander[A, B any] struct {
	hand[A]

	f      func(A) iter.Seq[B]
	next   func() (unit, bool)
	stop   func()
	out    []B // as long as it may become
	n      int // elements in it
	now    A   // the element that is expanded
	open   bool
	broken error // the panic or Goexit that has ended the iterator of now
	failed error // the error that the stream fails with, after out was given
}

// run is the body of a coroutine. It yields when out is full, when an iterator has panicked, and when no elements are
// in hand.
func (x *expander[A, B]) run(yield func(unit) bool) {
	for goes := true; goes; {
		op.Protect(func() { goes = x.all(yield) }, func(broken error) { x.broken = broken })
		goes = goes && yield(unit{})
	}
}

// all expands the elements in hand. It reports false if the coroutine is to end.
func (x *expander[A, B]) all(yield func(unit) bool) bool {
	for len(x.rest) > 0 {
		x.now, x.open = x.rest[0], true
		x.rest = x.rest[1:]
		if all := x.f(x.now); all != nil {
			for v := range all {
				x.out[x.n] = v
				if x.n++; x.n == len(x.out) && !yield(unit{}) {
					return false
				}
			}
		}
		x.open = false
	}
	return true
}

func (x *expander[A, B]) poll(room int) ([]B, error) {
	if x.failed != nil {
		return nil, x.failed
	}
	if cap(x.out) < room {
		x.out = make([]B, room)
	}
	x.out, x.n = x.out[:room], 0
	if x.move(); x.n == 0 && x.failed == nil && len(x.rest) == 0 { // nothing was in hand, not even the rest of an iterator
		if err := x.fill(room); err != nil {
			return nil, err
		}
		x.move()
	}
	switch {
	case x.n > 0:
		return x.out[:x.n], nil
	case x.failed != nil:
		return nil, x.failed
	default:
		x.p.wake() // let others work before the next chunk
		return nil, errIdle
	}
}

// move resumes the coroutine. If an iterator has panicked, move passes on the letter of its element.
func (x *expander[A, B]) move() {
	if x.next(); x.broken != nil {
		broken := x.broken
		x.broken, x.open = nil, false
		x.failed = fail(x.env, x.now, x.path, panicked(broken))
	}
}

// close also reports the element whose iterator hasn't come to its end as lost.
func (x *expander[A, B]) close(why error) {
	broken := x.call(x.stop)
	if x.open {
		lose(x.env, []A{x.now}, why)
	}
	if broken != nil {
		x.p.refused(broken)
	}
	x.hand.close(why)
}
