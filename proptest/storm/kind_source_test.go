package storm_test

import (
	"bufio"
	"context"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

// sourceKinds are the sources of streams. An element counts as given where the storm gives it itself, otherwise from the
// first stage on.
func sourceKinds() kinds {
	source := func(of func(n *node) flowing) func(*builder, *node, place) flowing {
		return func(_ *builder, n *node, at place) flowing {
			return stream.Input(func(t tok) tok {
				t.exec.slack.Add(int64(at.skips))
				return t
			}, of(n))
		}
	}
	return kinds{
		{name: "stream.Slice", stream: source(func(n *node) flowing {
			return counted(stream.Input(func(t tok) []*unit { return t.exec.some(t.count(n.n[0])) }, stream.Slice[*unit]()))
		})},
		{name: "stream.Seq", weight: 4, stream: source(func(n *node) flowing {
			return stream.Input(func(t tok) iter.Seq[*unit] { return t.give(n) }, stream.Seq[*unit]())
		})},
		{name: "stream.Seq2", weight: 3, stream: source(func(n *node) flowing {
			return stream.Input(func(t tok) iter.Seq2[*unit, error] {
				return func(yield func(*unit, error) bool) {
					for u := range t.give(n) {
						if !yield(u, nil) {
							return
						}
					}
					if t.life.roll(n)%8 == 0 {
						yield(nil, errStorm)
					}
				}
			}, stream.Seq2[*unit]())
		})},
		{name: "stream.Chan", weight: 2, stream: source(func(n *node) flowing {
			return stream.Input(func(t tok) <-chan *unit {
				c := make(chan *unit, 100)
				for range t.count(n.n[0]) {
					c <- t.exec.born()
				}
				close(c)
				return keepIn(&t.exec.mu, &t.exec.channels, c)
			}, stream.Chan[*unit](1+n.n[1]%5))
		})},
		{name: "stream.Generate", weight: 3, stream: source(func(n *node) flowing {
			return stream.Generate(1+n.n[1]%5, func(_ context.Context, t tok, yield func(*unit) bool) error {
				for range t.count(n.n[0]) {
					t.slip(n)
					u := t.exec.unit()
					if !yield(u) {
						return nil
					}
					u.given.Store(true)
				}
				return t.works(n)
			})
		})},
		{name: "stream.Pages", weight: 2, stream: source(func(n *node) flowing {
			page := step.Func(func(_ step.Scope, t tok) (stream.Page[tok, *unit], error) {
				return stream.Page[tok, *unit]{Items: t.exec.some(t.count(n.n[0] % 4)), Next: t, More: t.life.roll(n)%4 != 0}, t.act(n, place{late: true})
			})
			return counted(stream.Pages(page))
		})},
		{name: "stream.Lines", stream: func(b *builder, n *node, at place) flowing {
			text := func(t tok) *strings.Reader { return strings.NewReader(b.arena.text(t, t.count(n.n[0]))) }
			return source(func(*node) flowing {
				return b.arena.parsed(stream.Input(text, stream.Lines[*strings.Reader](1+n.n[1]%5)))
			})(b, n, at)
		}},
		{name: "stream.Records", stream: func(b *builder, n *node, at place) flowing {
			text := func(t tok) *strings.Reader { return strings.NewReader(b.arena.text(t, t.count(n.n[0]))) }
			return source(func(*node) flowing {
				return b.arena.parsed(stream.Input(text, stream.Records[*strings.Reader](1+n.n[1]%5, bufio.ScanWords)))
			})(b, n, at)
		}},
		{name: "stream.Ticks", stream: source(func(n *node) flowing {
			ticks := stream.Take(stream.Ticks[tok](n.some(1)/2+time.Microsecond), n.n[0]%6)
			units := stream.Input(func(t tok) iter.Seq[*unit] { return t.give(n) }, stream.Seq[*unit]())
			return stream.Map(stream.Zip(ticks, units), func(p flow.Pair[time.Time, *unit]) *unit { return p.B })
		})},
	}
}

// counted marks elements as given where they pass.
func counted(s flowing) flowing {
	return stream.Map(s, func(u *unit) *unit {
		u.given.Store(true)
		return u
	})
}

// count returns how many of n elements a source may still give.
func (t tok) count(n int) int { return int(min(int64(n), max(0, t.life.fuel.Add(int64(-n))))) }

// some returns n units that don't count as given yet.
func (x *exec) some(n int) []*unit {
	all := make([]*unit, n)
	for i := range all {
		all[i] = x.unit()
	}
	return all
}

// text returns n units as text for a reader.
func (a *arena) text(t tok, n int) string {
	var text strings.Builder
	for _, u := range t.exec.some(n) {
		key := a.written.Add(1)
		a.texts.Store(key, u)
		text.WriteString(strconv.FormatUint(key, 10) + "\n")
	}
	return text.String()
}

// parsed turns the texts of units back into these.
func (a *arena) parsed(s stream.Stream[tok, string]) flowing {
	return stream.Map(s, func(text string) *unit {
		key, _ := strconv.ParseUint(text, 10, 64)
		u, _ := a.texts.Load(key)
		u.(*unit).given.Store(true)
		return u.(*unit)
	})
}

func (t tok) give(n *node) iter.Seq[*unit] {
	return func(yield func(*unit) bool) {
		for range t.count(n.n[0]) {
			t.slip(n)
			if !yield(t.exec.born()) {
				return
			}
		}
	}
}
