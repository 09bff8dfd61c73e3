package stream

import "github.com/futoin-go/asyncsteps/internal/plan"

// Take gives the first n elements of s, takes no more from s, and is over then. A negative n is reported by flow.Plan.Err.
func Take[In, T any](s Stream[In, T], n int) Stream[In, T] {
	return after("take", s, atLeast(0, n, "the number"), func(_ env, up inlet[T]) inlet[T] { return &taker[T]{up, n} }).with(func() []plan.Parameter { return []plan.Parameter{plan.Set("number", n)} })
}

type taker[T any] struct {
	inlet[T]

	left int
}

func (t *taker[T]) poll(room int) ([]T, error) {
	if t.left == 0 {
		return nil, errOver
	}
	chunk, err := t.inlet.poll(min(room, t.left))
	t.left -= len(chunk)
	return chunk, err
}

// Skip gives all elements of s except the first n. A negative n is reported by flow.Plan.Err.
func Skip[In, T any](s Stream[In, T], n int) Stream[In, T] {
	return after("skip", s, atLeast(0, n, "the number"), func(e env, up inlet[T]) inlet[T] { return &skipper[T]{up, e.p, n} }).with(func() []plan.Parameter { return []plan.Parameter{plan.Set("number", n)} })
}

type skipper[T any] struct {
	inlet[T]

	p    *pipe
	left int
}

func (s *skipper[T]) poll(room int) ([]T, error) {
	chunk, err := s.inlet.poll(room)
	if s.left == 0 || err != nil {
		return chunk, err
	}
	n := min(s.left, len(chunk))
	s.left -= n
	if chunk = chunk[n:]; len(chunk) == 0 {
		s.p.wake()
		return nil, errIdle
	}
	return chunk, nil
}
