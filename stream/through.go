package stream

import (
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/seam"
	"github.com/futoin-go/asyncsteps/step"
)

// Through runs each element through steps, as b says: elements wait, are limited by
// guards, are tried again, side by side on the loop of the run.
//
//	stream.Through(urls, stream.Bound{Limit: 8}, retry.Of(policy, flow.Timeout(time.Second, fetch)))
//
// Each element is a flow of its own to guards (P4), and shares the state of the run
// with the others (S1). Elements begin in their order.
//
// Errors: an element whose steps fail goes to the nearest [Catch] behind, as a [Letter]
// with the path of the step, and the stream goes on. Without one the stream gives the elements
// before it and fails with the Letter; no more elements begin meanwhile. Cancellation: elements
// that are under way are cancelled leaf to root (C1), and reported as lost. A nil step and
// a bad bound are reported by flow.Plan.Err. FTN12 §1.4.
func Through[In, A, B any](s Stream[In, A], b Bound, steps step.Step[A, B]) Stream[In, B] {
	stage := seam.Given(steps, "through: the steps are nil")
	run := lanes(stage)
	return after("through", s, b.bad(), func(e env, up inlet[A]) inlet[B] {
		return newCrew(e, up, b, run)
	}, stage.Node())
}

// crew is a stage with elements under way on several lanes.
type crew[A, B any] struct {
	env

	up      inlet[A]
	entries []entry[A, B]
	free    []int32 // entries without an element
	pending queue   // elements that haven't begun
	order   queue   // elements in the order in which they leave the stage
	sorted  bool    // that is the order in which they came; otherwise they are added when done
	idle    []*lane[A, B]
	keys    keyed[A] // nil if elements may begin as they come
	out     []B
	end     error // what the stage before has ended with; nil before
	failed  error // what this one has
}

// entry is an element in the stage.
type entry[A, B any] struct {
	in   A
	out  B
	err  error  // why the steps have failed
	path string // of the one that has
	done bool
}

// lane takes one element after the other through the steps.
type lane[A, B any] struct {
	crew   *crew[A, B]
	run    step.Step[*lane[A, B], unit]
	at     int32 // the entry that it works on
	parked step.Done[*lane[A, B]]
	park   func(step.Done[*lane[A, B]]) // made when the lane first has nothing to do
}

func newCrew[A, B any](e env, up inlet[A], b Bound, run step.Step[*lane[A, B], unit]) *crew[A, B] {
	size := b.Limit + b.Buffer
	c := &crew[A, B]{
		env: e, up: up, sorted: !b.Unordered,
		entries: make([]entry[A, B], size), free: make([]int32, size),
		pending: newQueue(size), order: newQueue(size),
	}
	for i := range c.free {
		c.free[i] = int32(size - 1 - i)
	}
	all := make([]lane[A, B], b.Limit)
	for i := range all {
		all[i] = lane[A, B]{crew: c, run: run, at: none}
		e.p.tasks = append(e.p.tasks, &all[i])
	}
	return c
}

// none is no entry.
const none = -1

func (c *crew[A, B]) poll(room int) ([]B, error) {
	c.take()
	c.out = c.out[:0]
	left := 0
	for c.failed == nil && len(c.out) < room && c.order.n > 0 && c.entries[c.order.first()].done {
		c.leave(c.order.pop())
		left++
	}
	switch {
	case len(c.out) > 0:
		return c.out, nil
	case c.failed != nil:
		return nil, c.failed
	case left > 0: // all of them letters: there is room now
		c.p.wake()
	case c.end != nil && len(c.free) == len(c.entries):
		return nil, c.end
	}
	return nil, errIdle
}

// take fills the stage from the one before it, until there is no room, or that one is idle.
func (c *crew[A, B]) take() {
	for len(c.free) > 0 && c.end == nil && c.failed == nil {
		chunk, err := c.up.poll(min(len(c.free), most))
		c.enter(chunk)
		if err == errIdle { //nolint:errorlint // it isn't wrapped
			break
		}
		c.end = err
	}
	for n := c.pending.n; n > 0 && len(c.idle) > 0; n-- {
		last := len(c.idle) - 1
		l := c.idle[last]
		c.idle = c.idle[:last]
		l.parked.Succeed(l)
	}
}

// enter queues elements.
func (c *crew[A, B]) enter(chunk []A) {
	for _, v := range chunk {
		last := len(c.free) - 1
		i := c.free[last]
		c.free = c.free[:last]
		c.entries[i].in = v
		if c.keys == nil || c.keys.enter(v, i) {
			c.pending.push(i)
		}
		if c.sorted {
			c.order.push(i)
		}
	}
}

// keyed says which elements must not begin yet.
type keyed[A any] interface {
	// enter reports whether the element in entry i may begin. Otherwise leave gives it later.
	enter(element A, i int32) bool
	// leave says that an element is done, and gives the entry of one that may begin
	// now, if there is one.
	leave(element A) (i int32, ok bool)
}

// leave gives the result of the element i, or its letter.
func (c *crew[A, B]) leave(i int32) {
	x := &c.entries[i]
	if x.err != nil {
		c.failed = fail(c.env, x.in, x.path, x.err)
	} else {
		c.out = append(c.out, x.out)
	}
	*x = entry[A, B]{}
	c.free = append(c.free, i)
}

// close reports what is in the stage: elements that came later have higher places in the order.
func (c *crew[A, B]) close(why error) {
	held := make([]A, 0, len(c.entries)-len(c.free))
	seen := make([]bool, len(c.entries))
	for _, i := range c.free {
		seen[i] = true
	}
	for c.order.n > 0 {
		i := c.order.pop()
		held, seen[i] = append(held, c.entries[i].in), true
	}
	for i := range c.entries { // of those that are under way, in no particular order
		if !seen[i] {
			held = append(held, c.entries[i].in)
		}
	}
	lose(c.env, held, why)
	c.up.close(why)
}

// begin implements task.
func (l *lane[A, B]) begin(as step.Scope) step.Next[unit] { return step.Into(as, l.run, l) }

// next takes an element that hasn't begun.
func (l *lane[A, B]) next() bool {
	if c := l.crew; c.pending.n > 0 && c.failed == nil {
		l.at = c.pending.pop()
		return true
	}
	return false
}

// rest waits until there is an element that hasn't begun.
func (l *lane[A, B]) rest(as step.Scope) step.Next[*lane[A, B]] {
	if l.crew.pending.n > 0 && l.crew.failed == nil {
		return step.Succeed(l)
	}
	if l.park == nil {
		l.park = func(done step.Done[*lane[A, B]]) {
			l.parked = done
			l.crew.idle = append(l.crew.idle, l)
		}
	}
	return step.Wait(as, l.park)
}

// finish is called when the steps have dealt with the element.
func (l *lane[A, B]) finish(out B) {
	if l.at == none {
		return
	}
	c, x := l.crew, &l.crew.entries[l.at]
	if x.done = true; x.err == nil {
		x.out = out
	}
	if !c.sorted {
		c.order.push(l.at)
	}
	if c.keys != nil {
		if next, ok := c.keys.leave(x.in); ok {
			c.pending.push(next) // this lane takes it, or one before it
		}
	}
	l.at = none
	c.p.wake()
}

// lanes makes the plan of a lane whose elements run through s.
func lanes[A, B any](s *seam.Stage[A, B]) step.Step[*lane[A, B], unit] {
	element := flow.CatchInput(
		flow.Then(step.Map(func(l *lane[A, B]) A { return l.crew.entries[l.at].in }), s),
		func(as step.Scope, l *lane[A, B], err error) step.Next[B] {
			x := &l.crew.entries[l.at]
			x.err, x.path = err, as.Path()
			return step.Succeed(x.out)
		},
	)
	busy := seam.Loop[working[A, B], *lane[A, B], *lane[A, B], B]("elements", element.Stage(), working[A, B]{})
	rest := step.New(func(as step.Scope, l *lane[A, B]) step.Next[*lane[A, B]] { return l.rest(as) })
	all := seam.Loop[resting[A, B], *lane[A, B], *lane[A, B], B]("lane", flow.Then(rest, busy).Stage(), resting[A, B]{})
	return flow.Then(all, step.Map(func(B) unit { return unit{} }))
}

// working is the source of the loop over elements, as long as there are some.
type working[A, B any] struct{ l *lane[A, B] }

func (w *working[A, B]) Open(l *lane[A, B]) (none B) {
	w.l = l
	return none
}

// Inner leaves break and continue to loops around the stream.
func (*working[A, B]) Inner() {}

func (w *working[A, B]) Next(done B, item **lane[A, B]) bool {
	w.l.finish(done)
	*item = w.l
	return w.l.next()
}

// resting is the source of the loop that a lane stays in.
type resting[A, B any] struct{ l *lane[A, B] }

func (r *resting[A, B]) Open(l *lane[A, B]) (none B) {
	r.l = l
	return none
}

// Inner leaves break and continue to loops around the stream.
func (*resting[A, B]) Inner() {}

func (r *resting[A, B]) Next(_ B, item **lane[A, B]) bool {
	*item = r.l
	return true
}
