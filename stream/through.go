package stream

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/step"
)

// Through runs each element through steps, within the bound b. The steps of several elements run
// side by side on the loop of the run; they may wait, stand under guards, or be tried again.
//
//	stream.Through(urls, stream.Bound{Limit: 8}, retry.Of(policy, flow.Timeout(time.Second, fetch)))
//
// For guards, each element is a flow of its own. All elements share the state of the run.
// They begin in order.
//
// Errors: an element whose steps fail goes to the nearest [Catch] behind, as a [Letter],
// and the stream goes on. Without a Catch the stream gives the results of the elements
// before and fails with the Letter; until then elements behind the failed one may begin, as far
// as the bound allows. Cancellation: elements that are under way are cancelled leaf to root, and
// reported as lost. A nil step and a bad bound are reported by flow.Plan.Err.
//
//spec:ftn12 §1.4; rules P4, S1, C1
func Through[In, A, B any](s Stream[In, A], b Bound, steps step.Step[A, B]) Stream[In, B] {
	stage := op.Given(steps, "through: the steps are nil")
	run := crews(stage)
	return after("through", s, b.bad(), func(e env, up inlet[A]) inlet[B] {
		return newCrew(e, up, b, run)
	}, stage.Node()).with(b.parameters)
}

// crew is a stage whose elements are processed by steps.
type crew[A, B any] struct {
	env

	up      inlet[A]
	run     step.Step[op.Crew[A, B], unit]
	limit   int
	lanes   op.Lanes      // the branches that run the steps; the zero Lanes until they have begun
	size    int           // how many elements the stage has room for
	entries []entry[A, B] // grows up to size
	free    []int32       // entries without an element
	pending queue         // elements that lanes take next
	order   queue         // elements in the order in which they leave the stage
	sorted  bool          // elements are put into order when they come; otherwise, when they are done
	keys    keyed[A]      // nil unless the stage is a Partition
	coming  []int32       // entries of a chunk whose keys are being asked for
	out     []B
	end     error // the error with which the stage before has ended; nil until then
	failed  error // the error that this stage fails with
}

type entry[A, B any] struct {
	in   A
	out  B
	why  *failure // nil unless the element has failed
	done bool
}

type failure struct {
	err  error
	path string
}

// crews makes the step that runs s for each element of a crew.
func crews[A, B any](s *plan.Stage[A, B]) step.Step[op.Crew[A, B], unit] { return op.NewCrew(s) }

func newCrew[A, B any](e env, up inlet[A], b Bound, run step.Step[op.Crew[A, B], unit]) *crew[A, B] {
	size := b.Limit + b.Buffer
	room := min(size, most) // more when it is needed
	c := &crew[A, B]{
		env: e, up: up, run: run, limit: b.Limit, sorted: !b.Unordered,
		size: size, entries: make([]entry[A, B], 0, room), free: make([]int32, 0, room),
		pending: newQueue(room), order: newQueue(room),
	}
	e.p.tasks = append(e.p.tasks, c)
	return c
}

func (c *crew[A, B]) begin(as step.Scope) step.Next[unit] {
	return step.Into(as, c.run, op.Crew[A, B]{Elements: (*elementsOf[A, B])(c), Limit: c.limit})
}

func (c *crew[A, B]) poll(room int) ([]B, error) {
	c.take()
	c.out = c.out[:0]
	left := 0
	for c.failed == nil && left < room && c.order.n > 0 {
		x := &c.entries[c.order.first()]
		if !x.done || x.why != nil && len(c.out) > 0 { // results go on before the letter of an element behind them is given
			break
		}
		c.deliver(c.order.pop())
		left++
	}
	switch {
	case len(c.out) > 0:
		return c.out, nil
	case c.failed != nil:
		return nil, c.failed
	case left > 0: // the elements that have left became letters, and there is room now
		c.p.wake()
	case c.end != nil && c.holds() == 0:
		return nil, c.end
	}
	return nil, errIdle
}

// take takes elements from the stage before, until there is no room for more or that stage has none, and then begins lanes
// for the elements. After burst chunks it takes no more and wakes the pipe, so that other work of the loop goes first. If
// the stage has failed, take does nothing.
func (c *crew[A, B]) take() {
	for n := 1; c.holds() < c.size && c.end == nil && c.failed == nil; n++ {
		chunk, err := c.up.poll(min(c.size-c.holds(), most))
		c.enter(chunk)
		if err == errIdle { //nolint:errorlint // it isn't wrapped
			break
		}
		c.end = err
		if n == burst {
			c.p.wake()
			break
		}
	}
	if c.failed == nil {
		c.lanes.Begin(c.pending.n)
	}
}

func (c *crew[A, B]) enter(chunk []A) {
	for _, v := range chunk {
		i := c.entry()
		c.entries[i].in = v
		if c.sorted {
			c.order.push(i)
		}
		if c.keys == nil {
			c.pending.push(i)
		} else {
			c.coming = append(c.coming, i)
		}
	}
	for _, i := range c.coming { // all are in the stage now, so none gets lost if key ends the goroutine
		c.key(i)
	}
	c.coming = c.coming[:0]
}

// key queues entry i for the lanes, makes it wait for an element with the same key, or settles it with an error.
func (c *crew[A, B]) key(i int32) {
	var begins bool
	var err error
	usercode.Protect(func() { begins, err = c.keys.enter(c.entries[i].in, i) }, func(broken error) {
		if broken != nil {
			err = c.broke(broken)
		}
		if err != nil {
			c.entries[i].why = &failure{err, c.path}
			c.settle(i)
		}
	})
	if begins {
		c.pending.push(i)
	}
}

func (c *crew[A, B]) entry() int32 {
	if last := len(c.free) - 1; last >= 0 {
		i := c.free[last]
		c.free = c.free[:last]
		return i
	}
	c.entries = append(c.entries, entry[A, B]{})
	return int32(len(c.entries) - 1)
}

type keyed[A any] interface {
	// enter reports whether the element in entry i may begin. If not, it returns the error of the element, or nil if
	// the element waits until leave returns i.
	enter(element A, i int32) (begins bool, err error)
	// leave is called when the steps of the element in entry have ended. If another element may begin because of that,
	// leave returns its entry.
	leave(entry int32) (i int32, ok bool)
}

// deliver appends the result of entry i to the chunk, or passes on its letter.
func (c *crew[A, B]) deliver(i int32) {
	x := c.entries[i]
	c.entries[i] = entry[A, B]{}
	c.free = append(c.free, i)
	if x.why != nil {
		c.failed = fail(c.env, x.in, x.why.path, x.why.err)
	} else {
		c.out = append(c.out, x.out)
	}
}

// close reports the elements in the stage as lost, oldest first if they are sorted. For elements that have failed
// it gives letters with their own errors.
func (c *crew[A, B]) close(why error) {
	seen := make([]bool, len(c.entries))
	for _, i := range c.free {
		seen[i] = true
	}
	for c.order.n > 0 {
		i := c.order.pop()
		seen[i] = true
		c.part(i, why)
	}
	for i := range c.entries { // the elements that aren't done, in no particular order
		if !seen[i] {
			c.part(int32(i), why)
		}
	}
	c.up.close(why)
}

// part reports the element in entry i as lost, or gives its own letter if it has failed. The stage is being closed.
func (c *crew[A, B]) part(i int32, why error) {
	if x := &c.entries[i]; x.why != nil {
		failLater(c.env, x.in, x.why.path, x.why.err)
	} else {
		lose(c.env, []A{x.in}, why)
	}
}

// elementsOf is a crew that implements op.Elements for its lanes.
type elementsOf[A, B any] crew[A, B]

func (c *elementsOf[A, B]) Begun(lanes op.Lanes) {
	c.lanes = lanes
	lanes.Begin(c.pending.n)
}

func (c *elementsOf[A, B]) Next() (v A, i int32, ok bool) {
	if c.pending.n == 0 || c.failed != nil {
		return v, 0, false
	}
	i = c.pending.pop()
	return c.entries[i].in, i, true
}

func (c *elementsOf[A, B]) Done(i int32, out B) {
	c.entries[i].out = out
	c.ended(i)
}

func (c *elementsOf[A, B]) Failed(i int32, err error, path string) {
	c.entries[i].why = &failure{err, path}
	c.ended(i)
}

// ended is called when the steps of entry i have ended.
func (c *elementsOf[A, B]) ended(i int32) {
	if c.keys != nil {
		if next, ok := c.keys.leave(i); ok {
			c.pending.push(next)
		}
	}
	(*crew[A, B])(c).settle(i)
}

// settle marks entry i as done: nothing changes its result any more.
func (c *crew[A, B]) settle(i int32) {
	c.entries[i].done = true
	if !c.sorted {
		c.order.push(i)
	}
	c.p.wake()
}

func (c *crew[A, B]) holds() int { return len(c.entries) - len(c.free) }
