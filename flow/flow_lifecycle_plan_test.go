package flow_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var (
	failed   = fault.New("Failed", "as it was told to")
	replaced = fault.New("Replaced", "by the handler")
	errStop  = errors.New("stopped by the test")
)

// record is the input of a run: the life, and what has happened.
type record struct {
	life
	stopNow func() // cancels the run from inside of its body

	mu       sync.Mutex
	log      []string
	taken    bool // the result of the completion from outside
	answered bool // that completion was tried
}

func (r *record) note(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, line)
}

func (r *record) complete(taken bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken, r.answered = taken, true
}

var current = step.NewVar[*record]("record")

// lifePlan returns the plan of the lives at one place, with or without a handler, whose work is a step.Func or not.
// The rest is decided by the input, so that runs use memory of runs with other lives.
func lifePlan(at place, caught, plain bool) flow.Plan[*record, int] {
	core := step.New(lifeBody)
	if plain {
		core = step.Func(lifeFunc)
	}
	unit := flow.Of(core)
	if at == grouped {
		unit = flow.Then(step.Map(func(r *record) *record { return r }), core)
	}
	if caught {
		unit = flow.Catch(unit, lifeHandler)
	}
	switch at {
	case beside:
		unit = flow.Then(flow.Par(step.New(siblingBody), unit), step.Map(func(vs []int) int { return vs[0] + vs[1] }))
	case inside:
		inner := unit
		unit = flow.Of(step.New(func(as step.Scope, r *record) step.Next[int] { return step.Into(as, inner, r) }))
	}
	remember := step.Func(func(as step.Scope, r *record) (*record, error) {
		current.Set(as, r)
		return r, nil
	})
	return flow.Then(flow.Then(remember, unit), step.Func(func(as step.Scope, v int) (int, error) {
		r, _ := current.Get(as)
		r.note("tail")
		return v + tailValue, nil
	}))
}

func equip(as step.Scope, r *record) {
	r.note("body")
	switch r.limit {
	case strict:
		as.SetTimeout(limitPasses)
	case generous:
		as.SetTimeout(time.Hour)
	}
	if r.hook {
		as.SetCancel(func() { r.note("hook") })
	}
	if r.stack {
		step.StackCleanup(as, func(*int) { r.note("first cleanup") })
		step.StackCleanup(as, func(*int) { r.note("second cleanup") })
	}
	if r.stop == during && r.instant() {
		r.stopNow()
	}
}

func (r *record) finish() (int, error) {
	switch r.end {
	case fails:
		return 0, failed
	case panics:
		panic("as it was told to")
	case exits:
		runtime.Goexit()
	}
	return ownValue, nil
}

func lifeFunc(as step.Scope, r *record) (int, error) {
	equip(as, r)
	return r.finish()
}

func lifeBody(as step.Scope, r *record) step.Next[int] {
	equip(as, r)
	switch r.work {
	case waiting:
		return step.Wait(as, func(done step.Done[int]) {
			if r.end >= panics {
				r.finish()
			}
			as.Loop().Deferred(workEnds, func() {
				if v, err := r.finish(); err != nil {
					r.complete(done.Fail(err))
				} else {
					r.complete(done.Succeed(v))
				}
			})
		})
	case entering:
		return step.Into(as, lifeSubSteps, r)
	case awaiting:
		return step.Into(as, lifeAwait, r)
	default:
		v, err := r.finish()
		if err != nil {
			return step.Fail[int](err)
		}
		return step.Succeed(v)
	}
}

var lifeSubSteps = flow.Then(
	step.New(func(as step.Scope, r *record) step.Next[*record] {
		return step.Wait(as, func(done step.Done[*record]) {
			as.Loop().Deferred(workEnds, func() { r.complete(done.Succeed(r)) })
		})
	}),
	step.Func(func(_ step.Scope, r *record) (int, error) { return r.finish() }),
)

// lifeAwait is a step.Await that ends when a timer of its loop fires, because the loop's time may be virtual.
var lifeAwait = flow.Then(
	step.Func(func(as step.Scope, r *record) (worker, error) {
		w := worker{r, make(chan struct{})}
		as.Loop().Deferred(workEnds, func() { close(w.ready) })
		return w, nil
	}),
	step.Await(func(ctx context.Context, w worker) (int, error) {
		select {
		case <-w.ready:
			return w.finish()
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}),
)

type worker struct {
	*record
	ready chan struct{}
}

func siblingBody(as step.Scope, r *record) step.Next[int] {
	r.note("sibling")
	as.SetCancel(func() { r.note("sibling hook") })
	return step.Wait(as, func(done step.Done[int]) {
		as.Loop().Deferred(siblingEnds, func() { done.Succeed(siblingValue) })
	})
}

func lifeHandler(as step.Scope, err error) step.Next[int] {
	r, _ := current.Get(as)
	r.note("handler " + string(fault.CodeOf(err)))
	switch r.catch {
	case recovers:
		return step.Succeed(recoveryValue)
	case replaces:
		return step.Fail[int](replaced)
	case substitutes:
		return step.Into(as, lifeSubstitute, r)
	default:
		return step.Unwind[int]()
	}
}

var lifeSubstitute = flow.Then(
	step.New(func(as step.Scope, r *record) step.Next[*record] {
		return step.Wait(as, func(done step.Done[*record]) {
			as.Loop().Deferred(handlerTakes, func() { done.Succeed(r) })
		})
	}),
	step.Map(func(r *record) int {
		r.note("substitute")
		return insteadValue
	}),
)
