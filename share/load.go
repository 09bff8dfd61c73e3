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
	// value is what an asker gets of a result.
	value func(out *Out, at int) (V, error)

	// What its owner does, a Memo or a Batch. keeps is called on the loop of the run,
	// and reports whether finish is to be called; nil: it isn't.
	keeps  func(err error) bool
	finish func(on tool.Tool, out Out, err error) // under mu
	check  func(out Out) error                    // what is wrong with a result; nil: nothing
	drop   func()                                 // under mu: nobody is to join any more

	mu     *sync.Mutex // the owner's; guards what follows
	askers line[V]
	run    *flow.Running[Out] // nil before it has begun
	over   bool               // it has ended, or nobody waits for it
	nest   nest
}

// asker is a step that waits for a load, for a V.
type asker[V any] struct {
	ctx    context.Context
	loop   tool.Tool
	inside *nest // of the load that the step is part of; nil if of none
	done   step.Done[V]
	at     int // of its key, in a batch

	prev, next *asker[V]
	waits      bool // is in the line of a load
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

// join adds a, under mu. It reports false if a would wait for ever: its step is part
// of a load that l waits for.
func (l *load[In, Out, V]) join(a *asker[V]) bool {
	if !a.inside.await(&l.nest) {
		return false
	}
	l.askers.push(a)
	return true
}

var errNobody = fault.New(fault.Cancelled, "nobody waits for the load any more")

// begin starts the run on the loop of a, with the values of its context. The load
// isn't bound by the end of that.
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

// ended asks whether the result is to be kept, and gives it to the askers even if that
// breaks off.
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

// conclude gives the result to all who wait, unless it was lost with its loop.
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

// leave takes a out, if it still waits; the last one cancels the load.
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
