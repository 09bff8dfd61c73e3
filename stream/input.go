package stream

import "github.com/futoin-go/asyncsteps/internal/op"

// Input opens s on f(input), so that streams of different inputs can stand together in a
// [Merge], a [Zip] or a [FlatMap]. f is called each time the stream is opened, on the loop, and must
// not block. If it panics the stream fails. A nil f is reported by flow.Plan.Err.
func Input[In, A, T any](f func(In) A, s Stream[A, T]) Stream[In, T] {
	d := s.given("input")
	n := op.Segment[In, In, T]("input", "", nil, d.node)
	return finished("input", missing(f == nil, "the function"), &design[In, T]{n, func(e env, in In) inlet[T] {
		var of A
		under := e
		under.path = e.p.path + "/input"
		if err := under.call(func() { of = f(in) }); err != nil {
			_ = e.at("input", 0) // a stage that is listed in place of those of s
			return &fails[T]{err: err}
		}
		return d.open(e, of)
	}})
}
