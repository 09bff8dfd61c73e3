package stream

import "sync/atomic"

// Progress counts what happens in the stages before a [Measure]. Its methods may be called from any goroutine,
// while streams run and after them. A Progress may serve several streams and runs, which it then counts
// together. The zero Progress is ready. It must not be copied.
type Progress struct {
	took, passed, dead, failed, lost atomic.Int64
}

// Counts are numbers of elements. The names are those of observe.Stage, which has the numbers of a single
// stage; here the stages before a [Measure], or the stages of a [Run], are counted as one.
type Counts struct {
	In     int64 // elements that sources have given
	Out    int64 // elements that have passed the Measure, or, for Run, were delivered to sinks
	Dead   int64 // elements for which a stage has failed and whose letters a Catch has taken
	Failed int64 // elements for which a stage has failed and whose letters no Catch has taken
	Lost   int64 // elements that were in the stages when their stream ended
}

// Counts returns the current numbers.
func (p *Progress) Counts() Counts {
	return Counts{
		In: p.took.Load(), Out: p.passed.Load(), Dead: p.dead.Load(),
		Failed: p.failed.Load(), Lost: p.lost.Load(),
	}
}

func (e env) taken(n int) {
	for m := e.meter; m != nil; m = m.outer {
		m.by.took.Add(int64(n))
	}
}

// Measure counts elements of s in p: those that sources give, that pass the Measure, that have failed, and that
// are lost. p is updated with every chunk. A nil p is reported by flow.Plan.Err.
func Measure[In, T any](s Stream[In, T], p *Progress) Stream[In, T] {
	d := s.given("measure")
	under := Stream[In, T]{&design[In, T]{d.node, func(e env, in In) inlet[T] {
		e.meter = &metered{p, e.meter}
		return d.open(e, in)
	}}}
	return after("measure", under, missing(p == nil, "the Progress"), func(_ env, up inlet[T]) inlet[T] {
		return &meter[T]{up, p}
	})
}

type meter[T any] struct {
	inlet[T]

	by *Progress
}

func (m *meter[T]) poll(room int) ([]T, error) {
	chunk, err := m.inlet.poll(room)
	m.by.passed.Add(int64(len(chunk)))
	return chunk, err
}
