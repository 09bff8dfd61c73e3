package stream

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Merge gives the elements of all streams as they come; those of one stream keep their order. The streams are
// opened on the same input, see [Input]. They take turns, a chunk at a time, so none is left behind. The Merge
// is over when all streams are; the first one to fail fails the Merge. Without streams the Merge is empty.
func Merge[In, T any](streams ...Stream[In, T]) Stream[In, T] {
	return several("merge", streams, func(e env, n int) joined[T] { return &merged[T]{p: e.p, branches: make([]branchOf[T], n), live: n} })
}

// Concat gives the elements of the first stream, then those of the second, and so on. All streams are opened when the
// Concat begins, so a [Generate] among them may run before its turn. A stream that fails makes the Concat fail, when
// the turn of the stream has come. Without streams the Concat is empty.
func Concat[In, T any](streams ...Stream[In, T]) Stream[In, T] {
	return several("concat", streams, func(env, int) joined[T] { return new(concatenated[T]) })
}

type joined[T any] interface {
	inlet[T]
	// add calls open with the env for stream i, and adds the inlet that open returns.
	add(i int, e env, open func(e env) inlet[T])
}

func several[In, T any](kind string, streams []Stream[In, T], begin func(e env, n int) joined[T]) Stream[In, T] {
	all := make([]*design[In, T], len(streams))
	nodes := make([]*plan.Node, len(streams))
	for i, s := range streams {
		all[i] = s.given(kind)
		nodes[i] = all[i].node
	}
	n := op.Segment[In, In, T](kind, "", nil, nodes...)
	return finished(kind, "", &design[In, T]{n, func(e env, in In) inlet[T] {
		j := begin(e, len(all))
		for i, d := range all {
			guarding(j.close, func() { j.add(i, e, func(e env) inlet[T] { return d.open(e, in) }) })
		}
		return counting[T](e.at(kind, len(all)), j)
	}})
}

type merged[T any] struct {
	p        *pipe // wakes the stage behind
	branches []branchOf[T]
	turns    fifo[*branchOf[T]] // branches that may have elements, in the order in which they are polled
	live     int                // number of branches that aren't over
}

// branchOf is one stream of a Merge. It has a pipe of its own, so that a stream that waits needn't be polled.
type branchOf[T any] struct {
	pipe

	up inlet[T] // nil until the stream is opened
}

func (m *merged[T]) add(i int, e env, open func(e env) inlet[T]) {
	b := &m.branches[i]
	b.trunk = e.p.trunk
	b.onPost = b.posting
	b.resume = func() {
		m.turns.push(b)
		m.p.wake()
	}
	m.turns.push(b)
	e.p = &b.pipe
	b.up = open(e)
}

func (m *merged[T]) poll(room int) ([]T, error) {
	for left := m.turns.len(); left > 0; left-- {
		b := m.turns.rest()[0]
		b.ready = false
		chunk, err := b.up.poll(room)
		switch err {
		case nil:
			m.turns.drop(1)
			m.turns.push(b)
			return chunk, nil
		case errOver: //nolint:errorlint // none of them is wrapped
			m.turns.drop(1)
			m.live--
		case errIdle:
			m.turns.drop(1)
			if b.waits = !b.ready; b.ready {
				m.turns.push(b)
				m.p.wake()
			}
		default:
			return nil, err // up returns it again at the next poll
		}
	}
	if m.live == 0 {
		return nil, errOver
	}
	return nil, errIdle
}

func (m *merged[T]) close(why error) {
	ups := make([]inlet[T], 0, len(m.branches))
	for i := range m.branches {
		if up := m.branches[i].up; up != nil {
			ups = append(ups, up)
		}
	}
	closeAll(ups, why)
}

type concatenated[T any] struct {
	ups  []inlet[T]
	over int // how many of the streams are over
}

func (c *concatenated[T]) add(_ int, e env, open func(e env) inlet[T]) {
	c.ups = append(c.ups, open(e))
}

func (c *concatenated[T]) poll(room int) ([]T, error) {
	for c.over < len(c.ups) {
		chunk, err := c.ups[c.over].poll(room)
		if err != errOver { //nolint:errorlint // it isn't wrapped
			return chunk, err
		}
		c.over++
	}
	return nil, errOver
}

func (c *concatenated[T]) close(why error) { closeAll(c.ups, why) }

// closeAll closes the stages in their order, even if an iterator ends the goroutine meanwhile.
func closeAll[T any](ups []inlet[T], why error) {
	if len(ups) == 0 {
		return
	}
	defer closeAll(ups[1:], why)
	ups[0].close(why)
}
