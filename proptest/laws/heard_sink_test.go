package laws_test

import (
	"context"
	"io"
	"iter"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

func (p *pipelines) sink(depth int) step.Step[int, int] {
	quits, refuses := p.accident(), p.IntN(8)
	quits.how = 2
	s := stream.Catch(p.stream(depth), func(err error) error {
		p.take(err)
		switch _ = quits.fail(); refuses {
		case 0:
			return errAccident
		case 1:
			return err
		case 2:
			return fault.Wrap(fault.InternalError, "refused", err)
		default:
			return nil
		}
	})
	s = stream.Map(s, (*bead).pass)
	a := p.accident()
	switch p.IntN(11) {
	case 0:
		p.draws("Collect")
		return flow.Then(stream.Collect(s), step.Map(func(all []*bead) int {
			for _, e := range all {
				e.see()
			}
			return 0
		}))
	case 1:
		p.draws("Count")
		return stream.Count(stream.Map(s, func(e *bead) *bead { e.see(); return e }))
	case 2:
		p.draws("Fold")
		return stream.Fold(s, func() int { return 0 }, func(_ int, e *bead) int { e.see(); a.must(); return 0 })
	case 3:
		p.draws("ForEach")
		return stream.ForEach(s, func(e *bead) error { e.see(); return a.fail() })
	case 4, 5, 6:
		p.draws("Consume")
		return stream.Consume(s, 1+p.IntN(5), p.ranges(a))
	case 7:
		p.draws("Write")
		text := stream.Map(s, func(e *bead) string { e.see(); return "x" })
		return flow.Then(stream.Write(text, 1+p.IntN(5), func(int) io.Writer { return writing{a} }), step.Map(func(int64) int { return 0 }))
	case 8:
		p.draws("Send")
		return stream.Send(s, 1+p.IntN(5), func(int) chan<- *bead {
			to := make(chan *bead)
			p.atEnd(func() { close(to) })
			go func() {
				for e := range to {
					e.see()
				}
			}()
			return to
		})
	case 9:
		p.draws("Broadcast")
		p.draws("Broadcast2")
		p.draws("Fed")
		sees := stream.ForEach(stream.Fed[*bead](), func(e *bead) error { e.see(); return nil })
		fails := stream.ForEach(stream.Fed[*bead](), func(*bead) error { return a.fail() })
		if p.IntN(2) == 0 {
			return flow.Then(stream.Broadcast(s, 1+p.IntN(8), sees, fails), step.Map(func([]int) int { return 0 }))
		}
		return flow.Then(stream.Broadcast2(s, 1+p.IntN(8), sees, fails), step.Map(func(flow.Pair[int, int]) int { return 0 }))
	default:
		p.draws("All")
		p.apart = true
		return step.Await(func(ctx context.Context, in int) (int, error) {
			for e, err := range stream.All(ctx, s, in) {
				if err != nil {
					return 0, err
				}
				e.see()
				a.must()
			}
			return 0, nil
		})
	}
}

// ranges returns a body of Consume with ranges inside of ranges over the same elements.
func (p *pipelines) ranges(a *accident) func(context.Context, int, iter.Seq[*bead]) (int, error) {
	stop := -1
	if p.IntN(4) == 0 {
		stop, p.stops = p.IntN(20), true
	}
	return func(_ context.Context, _ int, all iter.Seq[*bead]) (int, error) {
		calls := 0
		var take func(depth int) error
		take = func(depth int) error {
			for e := range all {
				e.see()
				calls++
				if err := a.fail(); err != nil || calls == stop {
					return err
				}
				switch {
				case calls%3 == 0 && depth < 3:
					if err := take(depth + 1); err != nil || calls >= stop && stop >= 0 {
						return err
					}
				case calls%5 == 0 && depth > 0:
					return nil
				}
			}
			return nil
		}
		return 0, take(0)
	}
}

type writing struct{ a *accident }

func (w writing) Write(text []byte) (int, error) {
	if err := w.a.fail(); err != nil {
		return 0, err
	}
	return len(text), nil
}
