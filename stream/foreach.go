package stream

import "github.com/futoin-go/asyncsteps/flow"

// Count is a sink: its result is the number of elements of s.
func Count[In, T any](s Stream[In, T]) flow.Plan[In, int] {
	return sink("count", s, "", func(_ env, up inlet[T], _ In) outlet[int] { return &counted[T]{inlet: up} })
}

type counted[T any] struct {
	inlet[T]

	n int
}

func (c *counted[T]) pump() error {
	chunk, err := c.poll(most)
	c.n += len(chunk)
	return err
}

func (c *counted[T]) result() int { return c.n }

// ForEach is a sink: it calls f for each element, in order. Its result is the number of elements.
//
// f runs on the loop and must not block; [Through] and [Consume] are for work that waits or blocks. An
// error or a panic of f fails the stream with a [Letter] of the element, and f isn't called again. A nil
// f is reported by flow.Plan.Err.
func ForEach[In, T any](s Stream[In, T], f func(T) error) flow.Plan[In, int] {
	return Count(elementwise("foreach", s, missing(f == nil, "the function"), func(x *elements[T, unit]) func() error {
		x.last = true
		return func() error {
			for ; x.at < len(x.rest); x.at++ {
				if err := f(x.rest[x.at]); err != nil {
					return err
				}
				x.n++
			}
			return nil
		}
	}))
}
