package laws_test

import (
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// This file holds what the bodies of programs do.

func (b *builder) plainBody(body *body, as step.Scope, in int) (int, error) {
	w := b.w
	act := w.begin(event{what: eBody, id: body.id, value: in}.in(as))
	b.install(body, act, as)
	stale := w.stale
	if body.endsScope() {
		w.stale = &as //stepvet:ignore it is about a kept scope
	}
	switch body.way {
	case fails:
		return 0, body.err()
	case panics:
		panic("as it was told to")
	case usesStale:
		if stale != nil {
			_ = stale.Path()
		}
	case cancels:
		w.cancel()
	case addsTask:
		b.addTask(body, as, in+1)
	}
	return in + body.id, nil
}

func (b *builder) handle(body *body, as step.Scope, err error) step.Next[int] {
	act := b.w.begin(event{what: eHandler, id: body.id, code: fault.CodeOf(err), said: said(err)}.in(as))
	return b.next(body, act, as, body.id*1000, body.id, err)
}

// next does what body says. value is the body's result, and in is the input of its sub-steps.
func (b *builder) next(body *body, act int, as step.Scope, value, in int, err error) step.Next[int] {
	w := b.w
	b.install(body, act, as)
	switch body.way {
	case fails:
		return step.Fail[int](body.err())
	case panics:
		panic("as it was told to")
	case silent:
		return step.Next[int]{}
	case unwinds:
		return step.Unwind[int]()
	case rethrows:
		return step.Fail[int](err)
	case enters:
		return step.Into(as, b.inner(body), in)
	case waits, waitsFail:
		return step.Wait(as, func(done step.Done[int]) { b.wait(body, act, value, done) })
	case finishTwice:
		return step.Wait(as, func(done step.Done[int]) {
			done.Succeed(value)
			done.Fail(fault.Code("Second"))
		})
	case breaks, continues:
		w.counts[body.id]++
		if w.counts[body.id] > body.n {
			break
		}
		return b.signal(body, value)
	case failsNil:
		return step.Fail[int](nil)
	case usesStale:
		if w.stale != nil {
			_ = w.stale.Path()
		}
	case cancels:
		w.cancel()
	case addsTask:
		b.addTask(body, as, in+1)
	}
	return step.Succeed(value)
}

func (b *builder) signal(body *body, value int) step.Next[int] {
	l := b.labels[body.label]
	switch {
	case body.way == breaks && body.label == 0:
		return loopx.Break[int]()
	case body.way == breaks:
		return loopx.BreakTo[int](l, value)
	case body.label == 0:
		return loopx.Continue[int]()
	default:
		return loopx.ContinueTo[int](l, value)
	}
}

func (b *builder) wait(body *body, act, value int, done step.Done[int]) {
	w := b.w
	complete := func() {
		var ok bool
		if body.way == waitsFail {
			ok = done.Fail(body.err())
		} else {
			ok = done.Succeed(value)
		}
		w.note(event{what: eDone, act: act, ok: ok})
	}
	if body.wait > 0 {
		_, _ = w.loop.Deferred(body.wait, complete)
		return
	}
	w.open = append(w.open, outside{act, complete})
}

func (b *builder) install(body *body, act int, as step.Scope) {
	w, g := b.w, body.resources
	where := branches(as.Path())
	if g.limit > 0 {
		as.SetTimeout(g.limit)
	}
	if g.hook {
		as.SetCancel(func() {
			w.note(event{what: eHook, id: body.id, act: act, where: where})
			if g.hookBad {
				panic("a bad hook")
			}
		})
	}
	for i := 1; i <= g.cleanups; i++ {
		step.StackCleanup(as, func(*int) {
			w.note(event{what: eCleanup, id: body.id, act: act, value: i, where: where})
			if g.badClean == i {
				panic("a bad cleanup")
			}
		})
	}
}

func answer(entered bool, err error) fault.Code {
	switch {
	case err != nil:
		return fault.CodeOf(err)
	case entered:
		return inside
	default:
		return queued
	}
}
