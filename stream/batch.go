package stream

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Batching bounds the batches of [Batch] by size and time. A batch is complete when it reaches either bound.
type Batching struct {
	Size int           // how many elements a batch has at most; it must be at least 1
	Wait time.Duration // how long after its first element a batch is complete; 0 is no limit
}

// Batch gives the elements of s in slices, in order. A slice is given when it has b.Size elements, when b.Wait
// has passed since its first element, or when s ends or fails. No slice is empty. The slices are
// new, and belong to the receiver. A bad Batching is reported by flow.Plan.Err.
//
// The time is measured by the run's loop, and checked when s has no element ready, and after every few chunks. So a
// batch may be a little late, but it doesn't wait for another element when the time has passed.
func Batch[In, T any](s Stream[In, T], b Batching) Stream[In, []T] {
	bad := atLeast(1, b.Size, "Batching.Size")
	if b.Wait < 0 {
		bad = first(bad, "Batching.Wait must not be negative, got "+b.Wait.String())
	}
	return after("batch", s, bad, func(e env, up inlet[T]) inlet[[]T] {
		return &batcher[T]{hand: hand[T]{env: e, up: up}, Batching: b}
	}).with(b.parameters)
}

func (b Batching) parameters() []plan.Parameter {
	all := []plan.Parameter{plan.Set("size", b.Size)}
	if b.Wait > 0 {
		all = append(all, plan.Set("wait", b.Wait))
	}
	return all
}

type batcher[T any] struct {
	hand[T]
	Batching

	alarm alarm
	one   [1][]T
}

func (b *batcher[T]) poll(int) ([][]T, error) {
	for n := 1; ; n++ {
		chunk, err := b.up.poll(min(most, b.Size-len(b.rest)))
		if b.rest == nil && len(chunk) > 0 {
			b.rest = make([]T, 0, min(b.Size, most))
		}
		b.rest = append(b.rest, chunk...)
		switch {
		case len(b.rest) == b.Size:
			return b.give(), nil
		case err == nil && n < burst:
			continue
		case err == nil:
			b.p.wake()
			err = errIdle
		}
		switch {
		case len(b.rest) == 0:
			return nil, err
		case err != errIdle || b.alarm.due: //nolint:errorlint // it isn't wrapped
			return b.give(), nil // the stage before returns its error again at the next poll
		case b.Wait > 0:
			if err := b.alarm.start(b.p, b.Wait); err != nil {
				return nil, err
			}
		}
		return nil, err
	}
}

func (b *batcher[T]) give() [][]T {
	b.alarm.stop()
	b.one[0], b.rest = b.rest, nil
	return b.one[:]
}

func (b *batcher[T]) close(why error) {
	b.alarm.stop()
	b.hand.close(why)
}
