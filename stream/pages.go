package stream

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Page is the result of the step of [Pages].
type Page[C, T any] struct {
	Items []T
	Next  C    // the cursor of the next page
	More  bool // there is a next page
}

// Pages is a source: the items of one page after the other. The step is given the input as the first cursor, and then the
// Next of each page as long as its More is true. The step runs again when the items of the page before have been taken. If
// the step gives one value at a time, let each page have one item.
//
// If the step fails, the stream gives the items of the pages before and fails with a [Letter] of the cursor. The cursor isn't
// an element, so a [Catch] doesn't get this letter. A nil step is reported by flow.Plan.Err.
func Pages[C, T any](page step.Step[C, Page[C, T]]) Stream[C, T] {
	stage := op.Given(page, "pages: the step is nil")
	run := crews(stage)
	n := op.Segment[C, C, T]("pages", "", nil, stage.Node())
	return Stream[C, T]{&design[C, T]{n, func(e env, in C) inlet[T] {
		e = e.at("pages", 0)
		p := &pager[C, T]{env: e, cursors: cursors[C]{next: [1]C{in}, more: true}}
		inner := env{p: e.p, path: e.path} // without the Catch and the counters of e: a cursor isn't an element of the user's
		p.crew = newCrew(inner, &p.cursors, Bound{Limit: 1}, run)
		return counting[T](e, p)
	}}}
}

type pager[C, T any] struct {
	env

	crew    inlet[Page[C, T]]
	cursors cursors[C]
	rest    []T
}

func (p *pager[C, T]) poll(room int) ([]T, error) {
	if len(p.rest) == 0 {
		pages, err := p.crew.poll(1)
		if err != nil {
			return nil, err
		}
		page := pages[0]
		p.rest, p.cursors.next[0], p.cursors.more = page.Items, page.Next, page.More
		if len(p.rest) == 0 {
			p.p.wake()
			return nil, errIdle
		}
	}
	n := min(room, len(p.rest))
	chunk := p.rest[:n:n]
	p.rest = p.rest[n:]
	p.taken(n)
	return chunk, nil
}

// close reports no elements as lost: items that weren't polled don't count as taken.
func (p *pager[C, T]) close(why error) { p.crew.close(why) }

// cursors is the inlet that gives the cursor of each page. It isn't polled while a page is being fetched.
type cursors[C any] struct {
	next [1]C
	more bool
}

func (c *cursors[C]) poll(int) ([]C, error) {
	if !c.more {
		return nil, errOver
	}
	c.more = false
	return c.next[:], nil
}

func (c *cursors[C]) close(error) {}

func (p *pager[C, T]) holds() int { return len(p.rest) }
