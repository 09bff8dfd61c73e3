package laws_test

import (
	"bufio"
	"context"
	"io"
	"iter"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

type drawnStream = stream.Stream[int, *bead]

type pipelines struct {
	*rand.Rand
	*heardOf

	text   strings.Builder
	drawn  map[string]bool
	stops  bool // a sink may stop before the end, or is inside of a step
	apart  bool // the stream has its own loop and learns of a cancel a moment later
	nested bool // the stream that is drawn is opened several times
}

func (p *pipelines) draws(name string) {
	p.drawn[name] = true
	p.text.WriteString(name + " ")
}

func (p *pipelines) accident() *accident {
	a := &accident{left: p.IntN(1 + p.IntN(40)), how: p.IntN(3)}
	if p.IntN(3) != 0 {
		a.left = -1
	}
	return a
}

// farewell draws an accident for the moment when an iterator is stopped.
func (p *pipelines) farewell() *accident { return &accident{left: p.IntN(6) - 1, how: 1 + p.IntN(2)} }

func (p *pipelines) bound() stream.Bound {
	b := stream.Bound{Limit: 1 + p.IntN(4), Buffer: p.IntN(5), Unordered: p.IntN(2) == 0}
	if p.IntN(8) == 0 {
		b.Buffer = huge
	}
	return b
}

// huge is more than a source gives.
const huge = 1 << 20

func (p *pipelines) size(most int) int {
	if p.IntN(4) == 0 {
		return huge
	}
	return 1 + p.IntN(most)
}

func (p *pipelines) pause() time.Duration { return time.Duration(p.IntN(4)) * time.Millisecond }

func (p *pipelines) each(n int, a *accident) iter.Seq[*bead] {
	last := p.farewell()
	return func(yield func(*bead) bool) {
		for range n {
			if a.must(); !yield(p.make(true)) {
				last.must()
				return
			}
		}
	}
}

// endless gives elements without a wait and ends the run at one of them. If it isn't stopped it gives many more.
func (p *pipelines) endless(a *accident) iter.Seq[*bead] {
	before, after := p.each(p.IntN(2000), a), p.each(300_000, a)
	return func(yield func(*bead) bool) {
		for e := range before {
			if !yield(e) {
				return
			}
		}
		p.mu.Lock()
		p.over = true
		p.mu.Unlock()
		p.cancel()
		after(yield)
	}
}

func (p *pipelines) many(depth, room int) drawnStream {
	if room < huge || p.nested || p.IntN(4) == 0 {
		return p.stream(depth)
	}
	each := p.endless(p.accident())
	p.draws("Seq")
	return stream.Input(func(int) iter.Seq[*bead] { return each }, stream.Seq[*bead]())
}

func (p *pipelines) source() drawnStream {
	n, a, ahead := p.IntN(60), p.accident(), 1+p.IntN(5)
	each := p.each(n, a)
	if p.IntN(5) == 0 && !p.nested {
		each = p.endless(a)
	}
	given := func(s drawnStream) drawnStream { return stream.Map(s, (*bead).gives) }
	some := func(int) []*bead {
		all := make([]*bead, min(n, 1000))
		for i := range all {
			all[i] = p.make(false)
		}
		return all
	}
	seq := stream.Input(func(int) iter.Seq[*bead] { return each }, stream.Seq[*bead]())
	texts := func(s stream.Stream[int, string]) drawnStream {
		return stream.Map(s, func(text string) *bead { return p.named(text).gives() })
	}
	lines := func(int) io.Reader {
		var text strings.Builder
		for _, e := range some(0) {
			text.WriteString(strconv.Itoa(e.number) + "\n")
		}
		return strings.NewReader(text.String())
	}
	p.drawn["Input"] = true
	switch p.IntN(9) {
	case 0:
		p.draws("Slice")
		return given(stream.Input(some, stream.Slice[*bead]()))
	case 1, 2:
		p.draws("Seq")
		return seq
	case 3:
		p.draws("Seq2")
		return stream.Input(func(int) iter.Seq2[*bead, error] {
			return func(yield func(*bead, error) bool) {
				for e := range each {
					if !yield(e, nil) {
						return
					}
				}
				if n%4 == 0 {
					yield(nil, errAccident)
				}
			}
		}, stream.Seq2[*bead]())
	case 4:
		p.draws("Chan")
		return stream.Input(func(int) <-chan *bead {
			c := make(chan *bead, 1000)
			for _, e := range some(0) {
				c <- e.gives()
			}
			close(c)
			p.atEnd(func() {
				for e := range c {
					e.given = false // it has stayed in the channel
				}
			})
			return c
		}, stream.Chan[*bead](ahead))
	case 5:
		p.draws("Generate")
		return stream.Generate(ahead, func(_ context.Context, _ int, yield func(*bead) bool) error {
			for range min(n, 1000) {
				a.must()
				e := p.make(false)
				if !yield(e) {
					return nil
				}
				e.gives()
			}
			return a.fail()
		})
	case 6:
		p.draws("Pages")
		var left atomic.Int64 // of all streams side by side that open the source
		left.Store(1 + p.Int64N(3))
		return given(stream.Pages(step.Func(func(_ step.Scope, in int) (stream.Page[int, *bead], error) {
			return stream.Page[int, *bead]{Items: some(0), Next: in, More: left.Add(-1) > 0}, a.fail()
		})))
	case 7:
		if p.IntN(2) == 0 {
			p.draws("Lines")
			return texts(stream.Input(lines, stream.Lines[io.Reader](ahead)))
		}
		p.draws("Records")
		return texts(stream.Input(lines, stream.Records[io.Reader](ahead, bufio.ScanWords)))
	default:
		p.draws("Ticks")
		return stream.Map(stream.Zip(stream.Ticks[int](time.Millisecond), seq), func(pair flow.Pair[time.Time, *bead]) *bead { return pair.B })
	}
}

func (p *pipelines) steps(depth int) step.Step[*bead, *bead] {
	a, pause := p.accident(), p.pause()
	work := flow.Then(step.Delay[*bead](pause), step.Func(func(_ step.Scope, e *bead) (*bead, error) { return e, a.fail() }))
	if depth <= 1 || p.IntN(4) != 0 {
		return work
	}
	p.text.WriteString("[")
	outer := p.nested
	p.nested, p.stops = true, true
	defer func() { p.nested = outer }()
	inner := flow.Then(step.Map(func(*bead) int { return 0 }), p.sink(depth-2))
	p.text.WriteString("] ")
	return flow.Then(flow.Carry(inner), flow.Then(step.Map(func(pair flow.Pair[*bead, int]) *bead { return pair.A }), work))
}

// counted marks the parts of split elements as given when they pass.
func counted(s drawnStream) drawnStream { return stream.Map(s, (*bead).gives) }

// split returns the parts of an element. taken says that each part is taken when it is yielded.
func split(e *bead, n int, a, last *accident, taken bool) iter.Seq[*bead] {
	return func(yield func(*bead) bool) {
		e.note(func(e *bead) { e.split = true })
		for range n {
			a.must()
			if !yield(e.part(taken)) {
				last.must()
				return
			}
		}
		a.must()
		e.note(func(e *bead) { e.ended = true })
	}
}

func (p *pipelines) stream(depth int) drawnStream {
	if depth <= 0 {
		return p.source()
	}
	a := p.accident()
	switch p.IntN(22) {
	case 0:
		p.draws("Map")
		return stream.Map(p.stream(depth-1), func(e *bead) *bead { a.must(); return e })
	case 1:
		p.draws("Func")
		return stream.Func(p.stream(depth-1), func(e *bead) (*bead, error) { return e, a.fail() })
	case 2:
		p.draws("Filter")
		return stream.Filter(p.stream(depth-1), func(e *bead) bool {
			if a.must(); e.number%3 == 0 {
				e.hear()
			}
			return e.number%3 != 0
		})
	case 3:
		if p.nested {
			return p.source()
		}
		p.draws("Distinct")
		known := map[int]bool{}
		return stream.Distinct(p.stream(depth-1), func(e *bead) int {
			a.must()
			if known[e.number/2] {
				e.hear()
			}
			known[e.number/2] = true
			return e.number / 2
		})
	case 4:
		p.draws("Scan")
		return stream.Scan(p.stream(depth-1), func() *bead { return nil }, func(_, e *bead) *bead { a.must(); return e })
	case 5, 6:
		p.draws("Expand")
		n, last := p.IntN(4), p.farewell()
		return counted(stream.Expand(p.stream(depth-1), func(e *bead) iter.Seq[*bead] { return split(e, n, a, last, false) }))
	case 7, 8:
		p.draws("FlatMap")
		n, b, last := p.IntN(4), p.bound(), p.farewell()
		parts := stream.Input(func(e *bead) iter.Seq[*bead] { return split(e, n, a, last, true) }, stream.Seq[*bead]())
		inner := stream.Through(parts, p.bound(), p.steps(0))
		return stream.FlatMap(p.stream(depth-1), b, inner)
	case 9, 10:
		p.draws("Through")
		b := p.bound()
		return stream.Through(p.many(depth-1, b.Buffer), b, p.steps(depth))
	case 11:
		p.draws("Partition")
		strange, b := p.IntN(3) == 0, p.bound()
		return stream.Partition(p.many(depth-1, b.Buffer), b, func(e *bead) float64 {
			if a.must(); strange && e.number%5 == 0 {
				return nan
			}
			return float64(e.number % 3)
		}, flow.Then(step.Map(func(e *bead) *bead {
			if strange && e.number%5 == 0 {
				e.note(func(e *bead) { e.in.strangers++ })
			}
			return e
		}), p.steps(depth)))
	case 12:
		p.draws("Await")
		pause, b := p.pause(), p.bound()
		return stream.Await(p.many(depth-1, b.Buffer), b, func(_ context.Context, e *bead) (*bead, error) {
			<-time.After(pause)
			return e, a.fail()
		})
	case 13, 14:
		p.draws("Batch")
		n := p.size(8)
		return stream.Map(stream.Batch(p.many(depth-1, n), stream.Batching{Size: n, Wait: p.pause()}), gathered)
	case 15:
		p.draws("Window")
		n := p.size(8)
		return stream.Map(stream.Window(p.many(depth-1, n), n, n), gathered)
	case 16:
		if p.IntN(2) == 0 {
			p.draws("Throttle")
			return stream.Throttle(p.stream(depth-1), 1+p.IntN(8), time.Millisecond)
		}
		if p.nested {
			return p.source()
		}
		p.draws("Skip")
		n := p.IntN(4)
		p.skipped += n
		return stream.Skip(p.source(), n)
	case 17:
		p.draws("Take")
		return stream.Take(p.stream(depth-1), p.IntN(40))
	case 18:
		p.draws("Merge")
		return stream.Merge(p.stream(depth-1), p.stream(depth-2), p.source())
	case 19:
		p.draws("Concat")
		return stream.Concat(p.stream(depth-1), p.stream(depth-2))
	case 20:
		p.draws("Zip")
		pairs := stream.Zip(p.stream(depth-1), p.stream(depth-2))
		return stream.Map(pairs, func(pair flow.Pair[*bead, *bead]) *bead { return gathered([]*bead{pair.A, pair.B}) })
	default:
		p.draws("Named")
		p.draws("Measure")
		p.draws("Catch")
		a.how %= 2 // a handler that ends its goroutine has heard of the element
		s := stream.Measure(stream.Named("drawn", p.stream(depth-1)), new(stream.Progress))
		return stream.Catch(s, func(l *stream.Letter[*bead]) error { a.must(); return l })
	}
}
