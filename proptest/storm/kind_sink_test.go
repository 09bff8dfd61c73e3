package storm_test

import (
	"context"
	"io"
	"iter"
	"strconv"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

// sinkKinds are the sinks of streams. Each stands behind the stages that caught returns.
func sinkKinds() kinds {
	sink := func(name string, weight int, of func(b *builder, n *node, s flowing) step.Step[tok, int]) kind {
		return kind{name: name, weight: weight, least: 1, flows: 1, leaves: true, plan: func(b *builder, n *node, at place) stage {
			if name == "stream.All" { // a run of its own
				at = at.apart()
				at.away = true
			}
			return drained(n, of(b, n, b.caught(n, at)))
		}}
	}
	see := func(n *node) func(u *unit) error {
		return func(u *unit) error {
			u.see()
			return u.exec.works(n)
		}
	}
	seen := func(s flowing) flowing {
		return stream.Map(s, func(u *unit) *unit {
			u.see()
			return u
		})
	}
	return kinds{
		sink("stream.Collect", 2, func(_ *builder, _ *node, s flowing) step.Step[tok, int] {
			return flow.Then(stream.Collect(s), step.Map(func(all []*unit) int {
				for _, u := range all {
					u.see()
				}
				return 0
			}))
		}),
		sink("stream.Count", 1, func(_ *builder, _ *node, s flowing) step.Step[tok, int] { return stream.Count(seen(s)) }),
		sink("stream.Fold", 2, func(_ *builder, n *node, s flowing) step.Step[tok, int] {
			return stream.Fold(s, func() int { return 0 }, func(_ int, u *unit) int {
				if see(n)(u) != nil {
					panic(thrown)
				}
				return 0
			})
		}),
		sink("stream.ForEach", 3, func(_ *builder, n *node, s flowing) step.Step[tok, int] { return stream.ForEach(s, see(n)) }),
		sink("stream.Consume", 5, consume),
		sink("stream.Send", 1, func(b *builder, _ *node, s flowing) step.Step[tok, int] {
			return stream.Send(seen(s), 2, func(t tok) chan<- *unit {
				c := make(chan *unit)
				done := make(chan struct{})
				keep(t.life, &t.life.closers, func() { close(done) })
				b.arena.helpers.Go(func() {
					for {
						select {
						case <-c:
						case <-done:
							return
						}
					}
				})
				return c
			})
		}),
		sink("stream.Write", 1, func(_ *builder, _ *node, s flowing) step.Step[tok, int] {
			text := stream.Map(seen(s), func(u *unit) string { return strconv.Itoa(u.number) })
			return flow.Then(stream.Write(text, 2, func(tok) io.Writer { return io.Discard }), step.Map(func(n int64) int { return int(n) }))
		}),
		sink("stream.All", 3, func(b *builder, n *node, s flowing) step.Step[tok, int] {
			return step.Await(func(ctx context.Context, t tok) (int, error) {
				for u, err := range stream.All(ctx, s, t) {
					if err != nil {
						return 0, err // its letters have been heard of; those in its cause are of other streams
					}
					u.see()
					if t.life.roll(n)%64 == 0 {
						t.exec.stopped.Store(true)
						break
					}
				}
				return 0, nil
			})
		}),
		{name: "stream.Broadcast", uses: []string{"stream.Fed"}, weight: 3, least: 1, flows: 1, leaves: true, plan: func(b *builder, n *node, at place) stage {
			some := stream.Broadcast(seen(b.caught(n, at)), 1+n.n[1]%4, n.branch(1), n.branch(2))
			return drained(n, flow.Then(some, step.Map(func(all []int) int { return len(all) })))
		}},
		{name: "stream.Broadcast2", least: 1, flows: 1, leaves: true, plan: func(b *builder, n *node, at place) stage {
			both := stream.Broadcast2(seen(b.caught(n, at)), 1+n.n[1]%4, n.branch(1), n.branch(2))
			return drained(n, flow.Then(both, step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B })))
		}},
	}
}

// caught returns the first kid with a Catch that hears of its letters, and a stage that hears of the elements that pass.
func (b *builder) caught(n *node, at place) flowing {
	s := stream.Catch(b.stream(n, 0, at.within(b)), func(err error) error {
		letters(err)
		if n.n[2]%4 == 0 {
			return errStorm // the letter has been heard of
		}
		return nil
	})
	return stream.Map(s, func(u *unit) *unit {
		u.pass()
		return u
	})
}

func drained(n *node, sink step.Step[tok, int]) stage {
	open := step.Map(func(t tok) tok {
		t.begin(n, place{late: true})
		t.exec = keep(t.life, &t.life.execs, &exec{tok: t, node: n, keys: map[[2]int]bool{}})
		t.exec.tok.exec = t.exec //nolint:staticcheck // exec.exec would be hard to read
		return t
	})
	end := step.Map(func(p flow.Pair[tok, int]) tok {
		p.A.exec.finished.Store(true)
		return p.A
	})
	return flow.Then(flow.Then(open, flow.Carry(sink)), end)
}

// consume ranges over the elements, also with one range in another, and stops or fails at times.
func consume(_ *builder, n *node, s flowing) step.Step[tok, int] {
	return stream.Consume(s, 1+n.n[1]%5, func(_ context.Context, t tok, elements iter.Seq[*unit]) (int, error) {
		var take func(depth int) error
		take = func(depth int) error {
			for u := range elements {
				u.see()
				switch r := t.life.roll(n); {
				case r%8 == 0 && depth < 3:
					if err := take(depth + 1); err != nil {
						return err
					}
				case r%8 == 1 && depth > 0:
					return nil
				case r%64 == 2:
					t.exec.stopped.Store(true)
					return t.works(n)
				}
			}
			return nil
		}
		return 0, take(0)
	})
}

// branch returns a branch of a Broadcast, which may fail or have enough.
func (n *node) branch(i int) step.Step[stream.Feed[*unit], int] {
	own := stream.Map(stream.Fed[*unit](), func(u *unit) *unit { return &unit{exec: u.exec} })
	s := stream.Through(own, n.bound(), step.Delay[*unit](n.some(2)/8))
	if n.n[3]/8%8 == i {
		s = stream.Take(s, n.n[2]%20)
	}
	return stream.ForEach(s, func(*unit) error {
		if n.n[3]%8 == i {
			return errStorm
		}
		return nil
	})
}
