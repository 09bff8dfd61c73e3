package stream

import "github.com/futoin-go/asyncsteps/internal/usercode"

// elements is a stage that processes one element after the other, and gives one result or none for each.
type elements[A, B any] struct {
	hand[A]

	// burst processes the elements in hand, from rest[at], and puts the results into out, from out[n]. An error that
	// it returns is the error of rest[at]. burst updates at and n before each call of the user's function, which may
	// panic.
	burst func() error
	at, n int
	out   []B  // its length is the greatest number of results
	last  bool // burst calls the function of a sink: its results are only counted

	// kept, if not nil, returns the first n results, which are elements that the stage has not dropped.
	kept func(n int) []A

	behind  int   // number of elements cut off the end of rest while burst runs, because this poll has no room for their results
	broken  error // the error of rest[0], or, if the function has ended the goroutine, of rest[at]
	failed  error // the error that the stream fails with
	protect func()
	after   func(error)
}

// elementwise makes a Stream with a stage that processes elements one by one. The function burst makes
// elements.burst, once for each run.
func elementwise[In, A, B any](
	kind string, s Stream[In, A], bad string, burst func(*elements[A, B]) func() error,
) Stream[In, B] {
	return after(kind, s, bad, func(e env, up inlet[A]) inlet[B] {
		x := &elements[A, B]{hand: hand[A]{env: e, up: up}}
		x.burst = burst(x)
		x.protect = func() { x.broken = x.burst() }
		x.after = func(broken error) {
			if broken != nil {
				x.broken = panicked(broken)
			}
		}
		return x
	})
}

func (x *elements[A, B]) poll(room int) ([]B, error) {
	if x.failed != nil {
		return nil, x.failed
	}
	if x.broken == nil {
		if err := x.fill(room); err != nil {
			return nil, err
		}
	}
	if n := min(room, len(x.rest)); cap(x.out) < n {
		x.out = make([]B, n)
	} else {
		x.out = x.out[:n]
	}
	for x.broken == nil || x.refuse() {
		x.behind = max(0, len(x.rest)-room)
		x.rest = x.rest[:len(x.rest)-x.behind]
		x.at, x.n = 0, 0
		usercode.Protect(x.protect, x.after)
		x.rest = x.rest[x.at : len(x.rest)+x.behind]
		n := x.n
		x.at, x.n, x.behind = 0, 0, 0
		switch {
		case n > 0: // results go on before the letter of an element behind them is given
			return x.out[:n], nil
		case x.broken == nil:
			x.p.wake() // so that others work before the next chunk
			return nil, errIdle
		}
	}
	return nil, x.failed
}

// refuse passes on the letter of the first element in hand, which has failed. It reports whether the stream goes on.
func (x *elements[A, B]) refuse() bool {
	element, broken := x.rest[0], x.broken
	x.rest, x.broken = x.rest[1:], nil
	x.failed = fail(x.env, element, x.path, broken)
	return x.failed == nil
}

// close also gives the letter of an element that has failed, if refuse hasn't given it. If the user's function has ended the
// goroutine, results of elements before that element weren't passed on: unless the function is that of a sink, these elements
// are lost.
func (x *elements[A, B]) close(why error) {
	x.rest = x.rest[:len(x.rest)+x.behind]
	if x.broken != nil {
		switch {
		case x.last:
		case x.kept != nil:
			lose(x.env, x.kept(x.n), why)
		default:
			lose(x.env, x.rest[:x.at], why)
		}
		failLater(x.env, x.rest[x.at], x.path, x.broken)
		x.rest = x.rest[x.at+1:]
	}
	x.hand.close(why)
}
