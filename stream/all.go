package stream

import (
	"context"
	"iter"

	"github.com/futoin-go/asyncsteps/internal/plan"
)

// All runs s with the input in and yields its elements, for a range loop. If the stream fails, the error that
// flow.Run would return comes last, with a zero T. The stream runs on the calling goroutine, between the
// elements: while the body of the range works, the event loop of the stream stands still, so a slow body slows
// the stream. When the range is left, the stream is cancelled, and All waits for its end. Errors that have no other
// recipient go to the error handler in the options of ctx, see flow.WithOptions.
//
// If a step of the stream has begun a load of package share that other runs still wait for when the stream
// ends, the load begins again on the loop of one of them. If a function that the stream calls on its loop, or the
// body of the range, calls runtime.Goexit, the calling goroutine ends when the stream has been left.
//
// Each range over the sequence runs the stream anew.
func All[In, T any](ctx context.Context, s Stream[In, T], in In) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		x := &outwards[T]{}
		all := sink("all", s, "", func(e env, up inlet[T], _ In) outlet[unit] {
			x.hand = hand[T]{env: e, up: up}
			return x
		})
		run := plan.StartPrivate(ctx, all.Stage(), in)
		defer run.Leave(ErrEnded) // even if the body panics, or ends the goroutine
		for run.Drive(func() bool { return len(x.rest) > 0 }) {
			for len(x.rest) > 0 {
				v := x.rest[0]
				x.rest = x.rest[1:]
				if !yield(v, nil) {
					return
				}
			}
			x.p.post()
		}
		if _, err, _ := run.Result(); err != nil {
			var none T
			yield(none, err)
		}
	}
}

type outwards[T any] struct{ hand[T] }

func (x *outwards[T]) pump() error {
	if len(x.rest) > 0 {
		return errIdle
	}
	return x.fill(most)
}

func (*outwards[T]) result() unit { return unit{} }
