package stream

import "github.com/futoin-go/asyncsteps/internal/op"

// elements is a stage that processes one element after the other, and gives one result or none for each.
type elements[A, B any] struct {
	hand[A]

	// burst processes the elements in hand, from index at on, and puts the results into out, from index n on. An
	// error that it returns is that of the element at. burst keeps at and n up to date before each call of a function
	// of the user, which may panic.
	burst func() error
	at, n int
	out   []B // as long as the elements in hand were when they were taken

	broken  error // the error that burst has returned, or the panic or Goexit that has ended it
	failed  error // the error that the stream fails with, after out was given
	protect func()
	after   func(error)
}

// elementwise makes a Stream with a stage that processes one element after the other. The function burst is called
// once for each run.
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
