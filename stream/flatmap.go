package stream

import (
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// FlatMap opens the stream inner on each element and gives what the opened streams give: the lines of each
// file, the pages of each account. Up to b.Limit streams are open at a time; b.Buffer further elements may wait
// in the stage. FlatMap gives all results of one opened stream, then those of the next, in the order of the elements.
// With b.Unordered results come as they are ready, and only those of one opened stream keep their order. An opened stream
// runs at most a few hundred elements ahead.
//
// Errors: if the stream that was opened on an element fails, the element goes to the nearest [Catch] behind FlatMap as a
// [Letter], after the results of that stream, and FlatMap goes on. Letters that no Catch inside of inner has taken go
// there too. Without a Catch, and when cancelled, FlatMap does what [Through] does: an element whose stream hasn't ended is
// lost then, and so are the elements in that stream. A bad bound and an invalid inner are reported by flow.Plan.Err.
func FlatMap[In, A, B any](s Stream[In, A], b Bound, inner Stream[A, B]) Stream[In, B] {
	d := inner.given("flatmap")
	run := crews(pour(Stream[A, B]{d}).Stage())
	return after("flatmap", s, b.bad(), func(e env, up inlet[A]) inlet[B] {
		f := &flat[A, B]{env: e, sorted: !b.Unordered, size: b.Limit + b.Buffer}
		inner := env{p: e.p, path: e.path} // without the Catch and the counters of e: a spring isn't an element of the user's stream
		f.crew = newCrew(inner, &springs[A, B]{up: up, flat: f}, b, run)
		return f
	}, d.node).with(b.parameters)
}

// flat is the stage of FlatMap. The elements of its crew are springs, one for each
// element of the user's stream.
type flat[A, B any] struct {
	env

	crew   inlet[unit]
	sorted bool
	size   int
	turns  fifo[*spring[A, B]] // springs in the order in which they give results; unless sorted, only those that are ready
	open   []*spring[A, B]     // unless sorted, all springs in the stage, in no order
	failed error
}

// spring is one element, with the stream that inner opens on it.
type spring[A, B any] struct {
	in    A
	flat  *flat[A, B]
	p     *pipe // the pipe of the stream; nil until it is opened
	place int   // index in flat.open; unused if flat.sorted
	ready bool  // the spring has results or has ended, and is in flat.turns; unused if flat.sorted
	queue []B   // results that the lane has put
	rest  []B   // results that are given next
	spare []B   // memory of results that were given, for reuse
	done  bool
	err   error // why the stream has failed
	path  string
}

// around returns the env of the stage, so that letters of the inner stream go to the same Catch as those of the
// stage.
func (s *spring[A, B]) around() env { return s.flat.env }

type springs[A, B any] struct {
	up    inlet[A]
	flat  *flat[A, B]
	chunk []*spring[A, B]
}

func (s *springs[A, B]) poll(room int) ([]*spring[A, B], error) {
	room = min(room, s.flat.size-s.flat.holds())
	if room == 0 {
		return nil, errIdle
	}
	chunk, err := s.up.poll(room)
	clear(s.chunk)
	s.chunk = s.chunk[:0]
	for _, v := range chunk {
		s.chunk = append(s.chunk, s.flat.newSpring(v))
	}
	return s.chunk, err
}

func (s *springs[A, B]) close(why error) { s.up.close(why) }

func (f *flat[A, B]) newSpring(v A) *spring[A, B] {
	s := &spring[A, B]{in: v, flat: f}
	if f.sorted {
		f.turns.push(s)
	} else {
		s.place = len(f.open)
		f.open = append(f.open, s)
	}
	return s
}

// news is called when s has results or has ended.
func (f *flat[A, B]) news(s *spring[A, B]) {
	if !f.sorted && !s.ready {
		s.ready = true
		f.turns.push(s)
	}
	f.p.wake()
}

// forget removes s from the stage. s has ended, and is the first of f.turns.
func (f *flat[A, B]) forget(s *spring[A, B]) {
	f.turns.drop(1)
	if !f.sorted {
		last := len(f.open) - 1
		f.open[s.place] = f.open[last]
		f.open[s.place].place = s.place
		f.open[last] = nil
		f.open = f.open[:last]
	}
}

func (f *flat[A, B]) poll(room int) ([]B, error) {
	_, err := f.crew.poll(most)
	if err == nil {
		f.p.wake() // some springs have ended, so the crew has room
	}
	for f.turns.len() > 0 && f.failed == nil {
		s := f.turns.rest()[0]
		if chunk := s.give(room); len(chunk) > 0 {
			if !f.sorted { // next time the other springs come first
				f.turns.drop(1)
				f.turns.push(s)
			}
			return chunk, nil
		}
		if !s.done && f.sorted {
			return nil, errIdle
		}
		if !s.done {
			s.ready = false
			f.turns.drop(1)
			continue
		}
		f.forget(s)
		f.p.wake()
		if s.err != nil {
			f.failed = fail(f.env, s.in, s.path, s.err)
		}
	}
	switch {
	case f.failed != nil:
		return nil, f.failed
	case err != nil && f.holds() == 0:
		return nil, err
	default:
		return nil, errIdle
	}
}

func (s *spring[A, B]) give(room int) []B {
	if len(s.rest) == 0 && len(s.queue) > 0 {
		s.rest, s.queue, s.spare = s.queue, s.spare[:0], s.queue[:0]
		s.p.wake() // there is room now
	}
	n := min(room, len(s.rest))
	chunk := s.rest[:n:n]
	s.rest = s.rest[n:]
	return chunk
}

func (f *flat[A, B]) close(why error) {
	open := f.open
	if f.sorted {
		open = f.turns.rest()
	}
	for _, s := range open {
		lose(f.env, s.rest, why)
		lose(f.env, s.queue, why)
		switch {
		case !s.done:
			lose(f.env, []A{s.in}, why)
		case s.err != nil: // its stream has failed, and its turn has not come
			failLater(f.env, s.in, s.path, s.err)
		}
	}
	f.crew.close(why)
}

// pour makes the plan that a lane runs on a spring: it opens the inner stream and puts its elements into the spring.
func pour[A, B any](inner Stream[A, B]) flow.Plan[*spring[A, B], unit] {
	s := Input(func(s *spring[A, B]) A { return s.in }, inner)
	all := sink("pour", s, "", func(e env, up inlet[B], s *spring[A, B]) outlet[unit] {
		s.p = e.p
		return &pouring[A, B]{up: up, spring: s}
	})
	ended := func(as step.Scope, s *spring[A, B], err error) step.Next[unit] {
		s.done, s.err, s.path = true, err, as.Path()
		s.flat.news(s)
		return step.Succeed(unit{})
	}
	// ended may be called twice: a Catch handler that gets the letters of what was left in inner may end the goroutine.
	return flow.CatchInput(flow.CatchInput(all, ended), ended)
}

type pouring[A, B any] struct {
	up     inlet[B]
	spring *spring[A, B]
}

func (p *pouring[A, B]) pump() error {
	s := p.spring
	if len(s.queue) == most {
		return errIdle
	}
	chunk, err := p.up.poll(most - len(s.queue))
	if len(chunk) > 0 {
		s.queue = append(s.queue, chunk...)
		s.flat.news(s)
	}
	return err
}

func (p *pouring[A, B]) result() unit {
	p.spring.done = true
	p.spring.flat.news(p.spring)
	return unit{}
}

func (p *pouring[A, B]) close(why error) { p.up.close(why) }

func (f *flat[A, B]) holds() int {
	if f.sorted {
		return f.turns.len()
	}
	return len(f.open)
}
