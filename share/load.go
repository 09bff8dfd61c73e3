package share

import (
	"context"
	"sync"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// load is one run of a stage for all of its askers.
type load[In, Out, V any] struct {
	owner owner[Out, V]
	stage *plan.Stage[In, Out]

	mu     *sync.Mutex // the owner's; guards the fields below
	askers line[V]
	last   *loadRun[In, Out, V] // the run that was begun last; nil before
	run    *loadRun[In, Out, V] // the same once it may be cancelled
	over   bool                 // it has ended, or nobody waits for it
	nest   nest

	// Here these take no memory of their own.
	first loadRun[In, Out, V] // the first run
	asker asker[V]            // the first one to ask
}

// owner is what a load is for: a key of a Memo, or keys of a Batch.
type owner[Out, V any] interface {
	// keeps reports whether finish is to be called. It is called on the loop of the run.
	keeps(err error) bool
	// finish keeps a result, under mu.
	finish(on tool.Tool, out Out, err error)
	// check returns what is wrong with a result; nil if nothing is.
	check(out Out) error
	// drop is called under mu, when no more askers may join.
	drop()
	// value returns the part of a result that belongs to the asker with the number at.
	value(out Out, at int) (V, error)
}

// loadRun is a run of a load, on the loop of one of its askers.
type loadRun[In, Out, V any] struct {
	of   *load[In, Out, V]
	on   tool.Tool
	in   In
	ctx  loadContext
	told plan.Told[Out]
}

// loadContext is the context of a load: it has the values of the context of an asker.
type loadContext struct {
	context.Context
	nest *nest
}

// Value implements [context.Context].
func (c *loadContext) Value(key any) any {
	if key == (nestKey{}) {
		return c.nest
	}
	return c.Context.Value(key)
}

// asker is a step that waits for a value of a load.
type asker[V any] struct {
	ctx    context.Context
	loop   tool.Tool
	inside *nest // the load that the step is part of; nil if there is none
	done   step.Done[V]
	at     int // position of its key, in a batch

	prev, next *asker[V]
	waits      bool // it is in the line of a load
	refused    bool // its loop takes no load
}

func newAsker[V any](as step.Scope, done step.Done[V]) asker[V] {
	ctx := as.Place().Around()
	inside, _ := ctx.Value(nestKey{}).(*nest)
	return asker[V]{ctx: ctx, loop: as.Loop(), inside: inside, done: done}
}

func (a *asker[V]) tell(v V, err error) {
	if err != nil {
		a.done.Fail(err)
	} else {
		a.done.Succeed(v)
	}
}

// join adds an asker, under mu. It returns nil if that would wait for ever, because l waits for
// the load that its step is part of.
func (l *load[In, Out, V]) join(from asker[V]) *asker[V] {
	if !from.inside.await(&l.nest) {
		return nil
	}
	a := &l.asker
	if a.loop != nil { // in use
		a = new(asker[V])
	}
	*a = from
	l.askers.push(a)
	return a
}

var errNobody = fault.New(fault.Cancelled, "nobody waits for the load any more")

// begin starts a run on the loop of a, with the values of its context. The end of that
// context doesn't end the load.
func (l *load[In, Out, V]) begin(a *asker[V], in In) {
	l.mu.Lock()
	x := &l.first
	if l.last != nil {
		x = new(loadRun[In, Out, V])
	}
	l.last, l.run = x, nil
	l.mu.Unlock()
	x.of, x.on, x.in = l, a.loop, in
	x.ctx = loadContext{context.WithoutCancel(a.ctx), &l.nest}
	plan.StartTold(&x.ctx, a.loop, l.stage, in, &x.told, x, &x.told)
	l.mu.Lock()
	if l.last == x { // otherwise it has ended already, and another one was begun
		l.run = x
	}
	abandoned := l.over
	l.mu.Unlock()
	if abandoned {
		x.told.Cancel(errNobody)
	}
}

// Receive implements [plan.Receiver]. It asks the owner whether the result is to be kept, and gives the
// result to the askers, even if a function of the user's panics in between.
func (x *loadRun[In, Out, V]) Receive(out Out, err error) {
	l := x.of
	if err == nil {
		err = l.owner.check(out)
	}
	keep := false
	defer func() { l.conclude(x, out, err, keep) }()
	x.on.Host().Call(func() { keep = l.owner.keeps(err) })
}

// conclude gives the result of x to all askers. If x failed because its loop has ended, it begins
// another run on the loop of another asker.
func (l *load[In, Out, V]) conclude(x *loadRun[In, Out, V], out Out, err error, keep bool) {
	l.mu.Lock()
	if l.over {
		l.mu.Unlock()
		return
	}
	if fault.Is(err, tool.ErrShutdown) || fault.Is(err, plan.ErrLoopEnds) {
		if a := l.askers.elsewhere(x.on); a != nil {
			l.mu.Unlock()
			l.begin(a, x.in)
			return
		}
	}
	l.over = true
	l.owner.drop()
	if keep {
		l.owner.finish(x.on, out, err)
	}
	waited := l.askers.empty()
	l.mu.Unlock()
	for waited != nil {
		a := waited
		waited, a.next = a.next, nil
		a.inside.arrive(&l.nest)
		if err != nil {
			a.done.Fail(err)
		} else {
			a.tell(l.owner.value(out, a.at))
		}
	}
}

// leave removes a, if it still waits; when the last one leaves the load is cancelled.
func (l *load[In, Out, V]) leave(a *asker[V]) {
	l.mu.Lock()
	if !a.waits {
		l.mu.Unlock()
		return
	}
	l.askers.remove(a)
	a.inside.arrive(&l.nest)
	run := l.run
	last := l.askers.first == nil
	if last {
		l.over = true
		l.owner.drop()
	}
	l.mu.Unlock()
	if last && run != nil {
		run.told.Cancel(errNobody)
	}
}
