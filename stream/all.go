package stream

import (
	"context"
	"iter"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/tool"
)

// All runs s on in and gives its elements, for a range loop. An error of the stream comes last, with a zero
// T; flow.Run says what it is. The stream runs on the calling goroutine, between
// the elements: it doesn't move while the body of the range loop works, except for goroutines of its
// own, so a slow body slows it. When the loop is left, the stream is cancelled and joined.
//
// The sequence may be ranged over any number of times; each time the stream runs anew.
func All[In, T any](ctx context.Context, s Stream[In, T], in In) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		x := &outwards[T]{}
		plan := sink("all", s, "", func(e env, up inlet[T], _ In) outlet[unit] {
			x.hand = hand[T]{env: e, up: up}
			return x
		})
		loop := tool.NewManual(tool.Options{})
		run := flow.Start(ctx, loop, plan, in)
		defer func() { // also if the body panics, or ends the goroutine
			if run.Cancel(ErrEnded) {
				x.drive(loop, run, func() bool { return false })
			}
		}()
		for x.drive(loop, run, func() bool { return len(x.rest) > 0 }) {
			for len(x.rest) > 0 {
				v := x.rest[0]
				x.rest = x.rest[1:]
				if !yield(v, nil) {
					return
				}
			}
			if _, err := loop.Immediate(x.p.wake); err != nil {
				break
			}
		}
		if _, err := run.Result(); err != nil {
			var none T
			yield(none, err)
		}
	}
}

// outwards holds a chunk for the range loop.
type outwards[T any] struct{ hand[T] }

func (x *outwards[T]) pump() error {
	if len(x.rest) > 0 {
		return errIdle
	}
	return x.fill(most)
}

func (*outwards[T]) result() unit { return unit{} }

// drive runs the loop until ready is true, or the run has ended: then it reports false.
func (x *outwards[T]) drive(loop *tool.Manual, run *flow.Running[unit], ready func() bool) bool {
	for {
		if ready() {
			return true
		}
		if _, err := run.Result(); err != error(flow.ErrRunning) { //nolint:errorlint // an error of the user's may wrap it
			return false
		}
		if !loop.Iterate() {
			_ = loop.Wait(context.Background())
		}
	}
}
