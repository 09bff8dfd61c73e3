package stream

// Slice is a source: it gives the elements of its input, a slice, in order. The slice must not
// be changed while the stream runs. Nothing is copied.
func Slice[T any]() Stream[[]T, T] {
	return from("slice", "", func(e env, in []T) inlet[T] { return &list[T]{env: e, rest: in} })
}

type list[T any] struct {
	env

	rest []T
}

func (l *list[T]) poll(room int) ([]T, error) {
	n := min(room, len(l.rest))
	if n == 0 {
		return nil, errOver
	}
	chunk := l.rest[:n:n]
	l.rest = l.rest[n:]
	l.taken(n)
	return chunk, nil
}

// close reports no elements as lost: those that weren't polled don't count as taken.
func (l *list[T]) close(error) {}
