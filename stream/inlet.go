package stream

import (
	"github.com/futoin-go/asyncsteps/fault"
)

// most is the largest number of elements in a chunk.
const most = 256

// burst is the largest number of chunks that a stage takes in one poll while it gathers elements. After them it lets the
// driver look at limits, cancels and other work of the loop.
const burst = 4

// inlet gives a stage the elements of the stage before it, in one run, on the goroutine of the run's loop.
type inlet[T any] interface {
	// poll returns from one to room elements, which then belong to the caller. The caller may read the slice until
	// the next call of poll, and must not write to it. If poll returns no elements it returns an error: errIdle,
	// errOver, or the error that the stream fails with.
	poll(room int) ([]T, error)
	// close ends the stage and those before it. It reports the elements that they hold as lost, oldest first where
	// they have an order. It is called once, when nothing else of the stream runs but goroutines that have outlived
	// their grace.
	close(why error)
}

// These errors of poll and pump don't mean a failure.
var (
	// errIdle: there are no elements now; the pipe will be woken when there may be some.
	errIdle = fault.New(fault.InternalError, "the stream is idle")
	// errOver: there are no more elements.
	errOver = fault.New(fault.InternalError, "the stream is over")
)

// hand holds elements that a stage has taken from the one before.
type hand[T any] struct {
	env

	up   inlet[T]
	rest []T
}

// fill takes up to room elements if none is in hand.
func (h *hand[T]) fill(room int) (err error) {
	if len(h.rest) == 0 {
		h.rest, err = h.up.poll(room)
	}
	return err
}

// close reports the elements in hand as lost, and closes the stages before.
func (h *hand[T]) close(why error) {
	rest := h.rest
	h.rest = nil
	lose(h.env, rest, why)
	h.up.close(why)
}

func (h *hand[T]) holds() int { return len(h.rest) }
