package stream

import (
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
)

// Zip gives the first elements of a and b together, then the second ones, and so on. Both are opened on the
// same input, see [Input]. The Zip is over when a or b is; elements that were taken from the other one and have
// no partner are lost. The first of the two to fail fails the Zip.
func Zip[In, A, B any](a Stream[In, A], b Stream[In, B]) Stream[In, flow.Pair[A, B]] {
	one, other := a.given("zip"), b.given("zip")
	n := op.Segment[In, In, flow.Pair[A, B]]("zip", "", nil, one.node, other.node)
	return Stream[In, flow.Pair[A, B]]{&design[In, flow.Pair[A, B]]{n, func(e env, in In) inlet[flow.Pair[A, B]] {
		z := new(zipped[A, B])
		z.a.up = one.open(e, in)
		guarding(z.a.up.close, func() { z.b.up = other.open(e, in) })
		e = e.at("zip", 2)
		z.a.env, z.b.env = e, e
		return counting[flow.Pair[A, B]](e, z)
	}}}
}

type zipped[A, B any] struct {
	a   hand[A]
	b   hand[B]
	out []flow.Pair[A, B]
}

func (z *zipped[A, B]) poll(room int) ([]flow.Pair[A, B], error) {
	errA, errB := z.a.fill(room), z.b.fill(room) // both are filled, so that neither waits for the other
	for _, err := range []error{errA, errB} {
		if err != nil && err != errIdle { //nolint:errorlint // it isn't wrapped
			return nil, err
		}
	}
	if errA != nil || errB != nil {
		return nil, errIdle
	}
	n := min(room, len(z.a.rest), len(z.b.rest))
	z.out = z.out[:0]
	for i, v := range z.a.rest[:n] {
		z.out = append(z.out, flow.Pair[A, B]{A: v, B: z.b.rest[i]})
	}
	z.a.rest, z.b.rest = z.a.rest[n:], z.b.rest[n:]
	return z.out, nil
}

func (z *zipped[A, B]) close(why error) {
	defer z.b.close(why) // even if an iterator ends the goroutine
	z.a.close(why)
}

func (z *zipped[A, B]) holds() int { return len(z.a.rest) + len(z.b.rest) }
