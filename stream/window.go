package stream

import "github.com/futoin-go/asyncsteps/internal/plan"

// Window gives slices of consecutive elements, the windows. Each has the length size, and begins step elements after the
// beginning of the one before. If step is below size the windows overlap; if step is above size the elements between windows
// are dropped. If s ends or fails while there are elements that were neither in a window nor dropped, one more, shorter
// window is given. The slices are new, and belong to the receiver. A size or a step below 1 is reported by flow.Plan.Err.
//
// [Batch] gives slices without overlap, which it can also limit by time.
func Window[In, T any](s Stream[In, T], size, step int) Stream[In, []T] {
	bad := first(atLeast(1, size, "the size"), atLeast(1, step, "the step"))
	return after("window", s, bad, func(e env, up inlet[T]) inlet[[]T] {
		return &windows[T]{hand: hand[T]{env: e, up: up}, size: size, step: step}
	}).with(func() []plan.Parameter { return []plan.Parameter{plan.Set("size", size), plan.Set("step", step)} })
}

type windows[T any] struct {
	hand[T]

	size, step int
	skip       int // number of elements to be dropped before the next window
	old        int // number of elements in hand that were in a window already
	one        [1][]T
}

func (w *windows[T]) poll(int) ([][]T, error) {
	for n := 1; ; n++ {
		room := min(most, w.size-len(w.rest))
		chunk, err := w.up.poll(min(most, room+min(most, w.skip)))
		skipped := min(w.skip, len(chunk))
		w.skip -= skipped
		w.rest = append(w.rest, chunk[skipped:]...)
		switch {
		case len(w.rest) == w.size:
			return w.give(), nil
		case err == errIdle: //nolint:errorlint // it isn't wrapped
			return nil, err
		case err != nil && len(w.rest) > w.old:
			return w.give(), nil // the stage before returns its error again at the next poll
		case err != nil:
			w.rest = nil
			return nil, err
		case n == burst:
			w.p.wake()
			return nil, errIdle
		}
	}
}

// give returns a window, and keeps in hand what the next window begins with.
func (w *windows[T]) give() [][]T {
	w.one[0] = append(make([]T, 0, len(w.rest)), w.rest...)
	n := min(w.step, len(w.rest))
	w.skip = w.step - n
	w.rest = w.rest[:copy(w.rest, w.rest[n:])]
	w.old = len(w.rest)
	return w.one[:]
}

func (w *windows[T]) close(why error) {
	w.rest = w.rest[min(w.old, len(w.rest)):]
	w.hand.close(why)
}

func (w *windows[T]) holds() int { return max(0, len(w.rest)-w.old) }
