package share

import (
	"context"
	"sync"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// load is one run of a stage for all of its askers.
type load[In, Out, V any] struct {
	stage step.Step[In, Out]
	// value returns the part of a result that belongs to the asker with the number at
	value func(out *Out, at int) (V, error)

	// These functions belong to the owner of the load, a Memo or a Batch. keeps is called on
	// the loop of the run and reports whether finish is to be called; a nil keeps stands for
	// false.
	keeps  func(err error) bool
	finish func(on tool.Tool, out Out, err error) // under mu
	check  func(out Out) error                    // returns what is wrong with a result; nil if nothing is
	drop   func()                                 // called under mu, when no more askers may join

	mu     *sync.Mutex // the owner's; guards the fields below
	askers line[V]
	run    *flow.Running[Out] // nil before it has begun
	over   bool               // it has ended, or nobody waits for it
	nest   nest
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
}

func newAsker[V any](as step.Scope, done step.Done[V]) *asker[V] {
	ctx := as.Place().Around()
	inside, _ := ctx.Value(nestKey{}).(*nest)
	return &asker[V]{ctx: ctx, loop: as.Loop(), inside: inside, done: done}
}

func (a *asker[V]) tell(v V, err error) {
	if err != nil {
		a.done.Fail(err)
	} else {
		a.done.Succeed(v)
	}
}

// join adds a, under mu. It reports false if a would wait for ever, because l waits for the
// load that the step of a is part of.
func (l *load[In, Out, V]) join(a *asker[V]) bool {
	if !a.inside.await(&l.nest) {
		return false
	}
	l.askers.push(a)
	return true
}

var errNobody = fault.New(fault.Cancelled, "nobody waits for the load any more")

// begin starts the run on the loop of a, with the values of its context. The end of that
// context doesn't end the load.
func (l *load[In, Out, V]) begin(a *asker[V], in In) {
	ctx := context.WithValue(context.WithoutCancel(a.ctx), nestKey{}, &l.nest)
	run := flow.Start(ctx, a.loop, l.stage, in)
	l.mu.Lock()
	l.run = run
	abandoned := l.over
	l.mu.Unlock()
	if abandoned {
		run.Cancel(errNobody)
	}
	run.Then(func(out Out, err error) { l.ended(a.loop, in, out, err) })
}

// ended asks the owner whether the result is to be kept, and gives the result to the askers,
// even if the owner's function panics.
func (l *load[In, Out, V]) ended(on tool.Tool, in In, out Out, err error) {
	if err == nil && l.check != nil {
		err = l.check(out)
	}
	keep := false
	defer func() { l.conclude(on, in, out, err, keep) }()
	if l.keeps != nil {
		on.Host().Call(func() { keep = l.keeps(err) })
	}
}

// conclude gives the result to all askers. If the load failed because its loop has ended, it
// begins the load again on another one.
func (l *load[In, Out, V]) conclude(on tool.Tool, in In, out Out, err error, keep bool) {
	l.mu.Lock()
	if l.over {
		l.mu.Unlock()
		return
	}
	if fault.Is(err, tool.ErrShutdown) || fault.Is(err, plan.ErrLoopEnds) {
		if a := l.askers.elsewhere(on); a != nil {
			l.mu.Unlock()
			l.begin(a, in)
			return
		}
	}
	l.over = true
	l.drop()
	if keep {
		l.finish(on, out, err)
	}
	waited := l.askers.empty()
	l.mu.Unlock()
	for _, a := range waited {
		a.inside.arrive(&l.nest)
		if err != nil {
			a.done.Fail(err)
		} else {
			a.tell(l.value(&out, a.at))
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
		l.drop()
	}
	l.mu.Unlock()
	if last && run != nil {
		run.Cancel(errNobody)
	}
}
