package stream

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Merge gives the elements of all streams as they come; those of one stream keep their order. All are opened on the
// same input, see [Input]. They take turns, a chunk at a time, so none is left behind. The
// stream is over when all of them are; the first one to fail fails it. Without
// streams it is empty.
func Merge[In, T any](streams ...Stream[In, T]) Stream[In, T] {
	return several("merge", streams, func(ups []inlet[T]) inlet[T] { return &merged[T]{ups: ups, live: ups} })
}

// Concat gives the elements of the first stream, then those of the second, and so on. All are opened when the
// stream begins: a [Generate] among them may run ahead of its turn. The first one to fail fails the stream.
func Concat[In, T any](streams ...Stream[In, T]) Stream[In, T] {
	return several("concat", streams, func(ups []inlet[T]) inlet[T] { return &concatenated[T]{ups: ups, live: ups} })
}

// several makes a Stream of several streams that are opened on the same input.
func several[In, T any](kind string, streams []Stream[In, T], open func([]inlet[T]) inlet[T]) Stream[In, T] {
	all := make([]*design[In, T], len(streams))
	nodes := make([]*plan.Node, len(streams))
	for i, s := range streams {
		all[i] = s.given(kind)
		nodes[i] = all[i].node
	}
	n := op.Segment[In, In, T](kind, "", nil, nodes...)
	return finished(kind, "", &design[In, T]{n, func(e env, in In) inlet[T] {
		ups := make([]inlet[T], len(all))
		for i, d := range all {
			guarding(func(why error) { closeAll(ups[:i], why) }, func() { ups[i] = d.open(e, in) })
		}
		return counting(e.at(kind, len(ups)), open(ups))
	}})
}

type merged[T any] struct {
	ups  []inlet[T]
	live []inlet[T] // the streams that aren't over
	turn int        // index in live of the stream that is polled first
}

func (m *merged[T]) poll(room int) ([]T, error) {
	for asked := 0; asked < len(m.live); {
		if m.turn >= len(m.live) {
			m.turn = 0
		}
		chunk, err := m.live[m.turn].poll(room)
		switch err {
		case nil:
			m.turn++
			return chunk, nil
		case errOver: //nolint:errorlint // none of them is wrapped
			live := make([]inlet[T], 0, len(m.live)-1)
			live = append(live, m.live[:m.turn]...)
			m.live = append(live, m.live[m.turn+1:]...)
		case errIdle:
			m.turn++
			asked++
		default:
			return nil, err
		}
	}
	if len(m.live) == 0 {
		return nil, errOver
	}
	return nil, errIdle
}

func (m *merged[T]) close(why error) { closeAll(m.ups, why) }

type concatenated[T any] struct {
	ups  []inlet[T]
	live []inlet[T]
}

func (c *concatenated[T]) poll(room int) ([]T, error) {
	for len(c.live) > 0 {
		chunk, err := c.live[0].poll(room)
		if err != errOver { //nolint:errorlint // it isn't wrapped
			return chunk, err
		}
		c.live = c.live[1:]
	}
	return nil, errOver
}

func (c *concatenated[T]) close(why error) { closeAll(c.ups, why) }

// closeAll closes stages in their order, all of them also if an iterator ends the goroutine when one is closed.
func closeAll[T any](ups []inlet[T], why error) {
	if len(ups) == 0 {
		return
	}
	defer closeAll(ups[1:], why)
	ups[0].close(why)
}
