package stream

import (
	"iter"

	"github.com/futoin-go/asyncsteps/internal/usercode"
)

// Expand gives, for each element, the values of the iterator that f returns for it, in order: the words of
// a line, say. The iterators run on the loop and must not block. They may be endless, because values are
// taken from them only while there is room. A panic of f or of an iterator is the error of the element, as with
// [Func], and comes after what the iterator has given. An element whose iterator has not come to its end
// when the stream ends is lost. A nil iterator is an empty one. A nil f is reported by flow.Plan.Err. Use
// [FlatMap] for work that waits or fails.
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
	out    []B   // its length is the greatest number of results
	n      int   // number of elements in out
	begun  []A   // elements that f was called for; the iterators of all but the last one are at their end
	open   bool  // the last element in begun isn't done: f or its iterator is under way, has panicked or has called Goexit
	broken error // the panic or Goexit of f or of the iterator
	failed error // the error that the stream fails with
}

// run is the body of a coroutine. It yields when out is full, when f or an iterator has panicked, and
// when no elements are in hand.
func (x *expander[A, B]) run(yield func(unit) bool) {
	for goes := true; goes; {
		usercode.Protect(func() { goes = x.all(yield) }, func(broken error) {
			if broken != nil {
				x.broken = panicked(broken)
			}
		})
		goes = goes && yield(unit{})
	}
}

// all expands the elements in hand. It reports false if the coroutine has to end.
func (x *expander[A, B]) all(yield func(unit) bool) bool {
	for len(x.rest) > 0 {
		v := x.rest[0]
		x.begun, x.open = append(x.begun, v), true
		x.rest = x.rest[1:]
		if all := x.f(v); all != nil {
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
	if x.broken != nil {
		x.refuse()
	}
	if x.failed != nil {
		return nil, x.failed
	}
	if cap(x.out) < room {
		x.out = make([]B, room)
	}
	x.out, x.n = x.out[:room], 0
	if x.move(); x.n == 0 && x.broken == nil && len(x.rest) == 0 { // nothing is in hand, not even the rest of an iterator
		if err := x.fill(room); err != nil {
			return nil, err
		}
		x.move()
	}
	if x.n > 0 {
		return x.out[:x.n], nil // results go on before the letter of an element behind them is given
	}
	x.p.wake() // so that others work before the next chunk
	return nil, errIdle
}

// move resumes the coroutine, and forgets elements whose iterators are at their end.
func (x *expander[A, B]) move() {
	x.next()
	done := len(x.begun)
	if x.open {
		done--
	}
	n := copy(x.begun, x.begun[done:])
	clear(x.begun[n:])
	x.begun = x.begun[:n]
}

func (x *expander[A, B]) refuse() {
	element, broken := x.begun[0], x.broken
	x.begun, x.open, x.broken = x.begun[:0], false, nil
	x.failed = fail(x.env, element, x.path, broken)
}

// close also reports the elements in begun as lost. There are several only if f or an iterator has ended the goroutine. If
// broken is set, the last element has a letter with that error instead.
func (x *expander[A, B]) close(why error) {
	defer x.hand.close(why) // even if the iterator ends the goroutine now
	begun := x.begun
	if x.broken != nil {
		last := len(begun) - 1
		lose(x.env, begun[:last], why)
		failLater(x.env, begun[last], x.path, x.broken)
		x.broken = nil
	} else {
		lose(x.env, begun, why)
	}
	x.stop()
	if x.broken != nil {
		x.p.refused(x.broken)
	}
}
