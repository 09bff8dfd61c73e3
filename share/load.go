package share

import (
	"context"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/clock"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/primary"
	"github.com/futoin-go/asyncsteps/internal/private"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool"
)

// load runs a stage for all of its askers. If the loop of its run ends first, it begins another run.
type load[In, Out, V any] struct {
	owner  owner[Out, V]
	leaver leaver[V] // the owner
	stage  *plan.Stage[In, Out]

	mu     *sync.Mutex // the mutex of the owner; guards askers, last, run and over
	askers line[V]
	last   *loadRun[In, Out, V] // the latest run; nil before the first
	run    *loadRun[In, Out, V] // equal to last once that run may be cancelled; nil before
	over   bool                 // the load has ended, or nobody waits for it any more
	nest   nest

	first loadRun[In, Out, V] // the first run; a field, to save an allocation
}

// owner is the type that embeds a load: memoLoad, for one key, or batch, for some.
type owner[Out, V any] interface {
	// judge returns the user's function that reports whether err is kept like a value,
	// or nil if err isn't kept.
	judge(err error) func(error) bool
	// read is called before finish, without mu. It returns the time of host's clock if finish needs it.
	read(host *tool.Host) clock.Reading
	// finish keeps a value, or an error that is kept like one, under mu.
	finish(now clock.Reading, out Out, err error)
	// check returns an error if a load may not have out as its result.
	check(out Out) error
	// drop is called under mu, when no more askers may join.
	drop()
	leaver[V]
	// value returns the part of a result for the askers of one key. at is the position of
	// the key in a batch; a Memo doesn't use it.
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

// loadContext is the context of a load: it has the values of the context of an asker, and never ends.
type loadContext struct {
	usercode.Calm
	nest *nest
}

func (*loadContext) Deadline() (at time.Time, ok bool) { return at, false }

func (*loadContext) Done() <-chan struct{} { return nil }

func (*loadContext) Err() error { return nil }

func (c *loadContext) Value(key any) any {
	if key == (nestKey{}) {
		return c.nest
	}
	return c.Context.Value(key)
}

// asker is a step that waits for a value of a load. Its memory belongs to the step: other goroutines may look at an
// asker only while it is in the line of the load, under the load's mutex.
type asker[V any] struct {
	op.Answer[V]
	origin
	of leaver[V] // the load that the step has asked; nil before
	at int       // position of its key, in a batch

	prev, next *asker[V]
	waits      bool // it is in the line of a load
	refused    bool // its loop takes no load
}

type leaver[V any] interface{ leave(a *asker[V]) }

type origin struct {
	ctx    context.Context
	loop   tool.Tool
	inside *nest // the load that the step is part of; nil if there is none
}

// originOf may call the user's contexts: call it without a lock.
func originOf(at op.Spot) origin {
	ctx := at.Context()
	inside, _ := ctx.Value(nestKey{}).(*nest)
	return origin{ctx, at.Loop(), inside}
}

// Clear implements [plan.Stater].
func (a *asker[V]) Clear() {
	a.Answer.Clear()
	a.of, a.origin = nil, origin{}
}

// Leave implements [op.Asker].
func (a *asker[V]) Leave() {
	if a.of != nil {
		a.of.leave(a)
	}
}

// join adds a to the askers. from is the origin of the step that asks; mu is held. It reports false if a would wait for ever,
// because l is, or waits for, the load that a is part of.
func (l *load[In, Out, V]) join(a *asker[V], from origin) bool {
	a.of, a.origin, a.refused = l.leaver, from, false
	if !from.inside.await(&l.nest) {
		return false
	}
	l.askers.push(a)
	return true
}

var errNobody = fault.New(fault.Cancelled, "nobody waits for the load any more")

// prepare returns the next run of l, which begin starts; mu is held.
func (l *load[In, Out, V]) prepare() *loadRun[In, Out, V] {
	x := &l.first
	if l.last != nil {
		x = new(loadRun[In, Out, V])
	}
	l.last, l.run = x, nil
	return x
}

// begin starts x on the loop of an asker, with the values of its context. The end of that context doesn't end the load.
func (l *load[In, Out, V]) begin(x *loadRun[In, Out, V], from origin, in In) {
	x.of, x.on, x.in = l, from.loop, in
	x.ctx = loadContext{usercode.Calm{Context: from.ctx}, &l.nest}
	x.told.To, x.told.Asker = x, usercode.HostOf(x.on)
	plan.StartTold(&x.ctx, x.on, l.stage, in, &x.told, &x.told)
	l.mu.Lock()
	if l.last == x { // otherwise x has ended already, and another run was begun
		l.run = x
	}
	abandoned := l.over
	l.mu.Unlock()
	if abandoned {
		x.told.Cancel(errNobody)
	}
}

// Receive implements [plan.Receiver]. The askers get the result even if the function that judge returns, or a method of err,
// panics or ends the goroutine. An error counts as the end of the loop only if the loop has refused the run, or was stopped.
// A loop that drains waits for the load; the error is then the load's own.
func (x *loadRun[In, Out, V]) Receive(out Out, err error) {
	l := x.of
	if err == nil {
		err = l.owner.check(out)
	}
	if err == nil {
		l.conclude(x, out, nil, true, false)
		return
	}
	keep, loopEnded := false, false
	defer func() { l.conclude(x, out, err, keep, loopEnded) }()
	host := usercode.HostOf(x.on)
	loopEnded = (!x.told.Ran() || host.Stopped()) && (primary.Is(err, tool.ErrShutdown) || primary.Is(err, private.ErrLoopEnds))
	if keeps := l.owner.judge(err); keeps != nil && !loopEnded {
		host.Call(func() { keep = keeps(err) })
	}
}

// conclude gives the result of x to the askers. If loopEnded is set, x has failed because its loop has ended: then conclude
// begins another run on the loop of another asker, if there is one.
func (l *load[In, Out, V]) conclude(x *loadRun[In, Out, V], out Out, err error, keep, loopEnded bool) {
	var now clock.Reading
	if keep {
		now = l.owner.read(usercode.HostOf(x.on))
	}
	l.mu.Lock()
	if l.over {
		l.mu.Unlock()
		return
	}
	if loopEnded {
		if a := l.askers.elsewhere(x.on); a != nil {
			next, from := l.prepare(), a.origin
			l.mu.Unlock()
			l.begin(next, from, x.in)
			return
		}
	}
	l.over = true
	l.owner.drop()
	if keep {
		l.owner.finish(now, out, err)
	}
	var some few[V]
	for more := true; more; {
		var n int
		n, more = l.askers.pop(&some)
		l.mu.Unlock()
		for i := range some[:n] {
			some[i].inside.arrive(&l.nest)
			if err != nil {
				some[i].done.Fail(err)
			} else if v, err := l.owner.value(out, some[i].at); err != nil {
				some[i].done.Fail(err)
			} else {
				some[i].done.Succeed(v)
			}
		}
		if more {
			l.mu.Lock()
		}
	}
}

// leave removes a if it still waits. When the last asker leaves, leave cancels the load.
func (l *load[In, Out, V]) leave(a *asker[V]) {
	l.mu.Lock()
	if !a.waits {
		l.mu.Unlock()
		return
	}
	l.askers.remove(a)
	a.inside.arrive(&l.nest)
	run := l.run
	last := l.askers.first == nil && !l.over
	if last {
		l.over = true
		l.owner.drop()
	}
	l.mu.Unlock()
	if last && run != nil {
		run.told.Cancel(errNobody)
	}
}
