package stream

import "github.com/futoin-go/asyncsteps/internal/op"

// elements is a stage that deals with one element after the other, and gives one or
// none for each.
type elements[A, B any] struct {
	hand[A]

	// burst deals with what is in hand, from at on, and puts what it makes of that into
	// out, from n on. If it gives an error, that is the one of the element at. It keeps at and n
	// up to date before each call of a function of the user's, which may panic.
	burst func() error
	at, n int
	out   []B // as long as what is in hand was

	broken  error // what burst has given, or why it has not returned
	failed  error // what the stream fails with, once out is given
	protect func()
	after   func(error)
}

// elementwise makes the stream of a stage that deals with one element after the other.
// burst is called once for each run.
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
	if err := x.fill(room); err != nil {
		return nil, err
	}
	if n := len(x.rest); cap(x.out) < n {
		x.out = make([]B, n)
	} else {
		x.out = x.out[:n]
	}
	x.at, x.n = 0, 0
	for x.failed == nil && x.at < len(x.rest) {
		x.broken = nil
		if op.Protect(x.protect, x.after); x.broken != nil {
			element := x.rest[x.at]
			x.at++
			x.failed = fail(x.env, element, x.path, x.broken)
		}
	}
	x.rest, x.at = x.rest[x.at:], 0
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
