package stream

import (
	"github.com/futoin-go/asyncsteps/fault"
)

// most is how many elements a chunk has at most: enough for what a chunk costs to
// be little for each element, few enough to stay in the processor's cache.
const most = 256

// inlet is where a stage takes the elements of the stage before it, in one run and
// on its loop.
type inlet[T any] interface {
	// poll gives from one to room elements, which are the caller's from then on; the
	// slice itself may be read until the next call, and not be written to. Otherwise
	// it gives an error: errIdle, errOver, or why the stream fails.
	poll(room int) ([]T, error)
	// close ends the stage and those before it. It reports the elements that they
	// hold as lost, oldest first. It is called once, when nothing else of the stream runs.
	close(why error)
}

// What poll gives instead of elements.
var (
	// errIdle: there are none now; the pipe will be woken when it is worth to ask again.
	errIdle = fault.New(fault.InternalError, "the stream is idle")
	// errOver: there are no more elements.
	errOver = fault.New(fault.InternalError, "the stream is over")
)

// hand holds the elements that a stage has taken and not dealt with yet.
type hand[T any] struct {
	env

	up   inlet[T]
	rest []T
}

// fill takes elements, up to room, if there are none in hand.
func (h *hand[T]) fill(room int) (err error) {
	if len(h.rest) == 0 {
		h.rest, err = h.up.poll(room)
	}
	return err
}

// close reports what is in hand and closes the stages before.
func (h *hand[T]) close(why error) {
	rest := h.rest
	h.rest = nil
	lose(h.env, rest, why)
	h.up.close(why)
}
