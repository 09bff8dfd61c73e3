package stream

import "github.com/futoin-go/asyncsteps/flow"

// Collect is a sink: its result is a slice of the elements of s, in order. If s has no elements, the result is nil.
func Collect[In, T any](s Stream[In, T]) flow.Plan[In, []T] {
	return sink("collect", s, "", func(_ env, up inlet[T], _ In) outlet[[]T] { return &collected[T]{inlet: up} })
}

type collected[T any] struct {
	inlet[T]

	all []T
}

func (c *collected[T]) pump() error {
	chunk, err := c.poll(most)
	c.all = append(c.all, chunk...)
	return err
}

func (c *collected[T]) result() []T { return c.all }
