package storm_test

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// stepKinds are leaves, and steps that enter others.
func stepKinds() kinds {
	return kinds{
		{name: "step.Map", weight: 2, plan: func(_ *builder, n *node, at place) stage {
			return step.Map(func(t tok) tok {
				if err := t.act(n, at); err != nil {
					panic(thrown)
				}
				return t
			})
		}},
		{name: "step.Func", weight: 4, plan: func(_ *builder, n *node, at place) stage {
			return step.Func(func(_ step.Scope, t tok) (tok, error) { return t, t.act(n, at) })
		}},
		{name: "step.New", uses: []string{"step.Succeed", "step.Fail", "step.StackCleanup", "step.Stack", "loopx.Break", "loopx.Continue", "loopx.BreakTo", "loopx.ContinueTo"}, weight: 6, plan: newStep},
		{name: "step.Into", weight: 3, least: 1, plan: func(b *builder, n *node, at place) stage {
			kid := b.kid(n, 0, at)
			return step.New(func(as step.Scope, t tok) step.Next[tok] {
				t.begin(n, at)
				t.hold(as, n)
				return step.Into(as, kid, t)
			})
		}},
		{name: "step.Wait", weight: 6, plan: wait},
		{name: "step.Await", weight: 5, plan: await},
		{name: "step.AwaitGrace", plan: func(b *builder, n *node, at place) stage {
			return step.AwaitGrace(b.arena.grace(n), func(ctx context.Context, t tok) (tok, error) { return t, t.block(ctx, n, at) })
		}},
		{name: "step.Do", plan: func(_ *builder, n *node, at place) stage {
			return step.Do(func(ctx context.Context, t tok) error { return t.block(ctx, n, at) })
		}},
		{name: "step.Act", plan: func(_ *builder, n *node, at place) stage {
			return step.New(func(as step.Scope, t tok) step.Next[tok] {
				act := step.Act(func(ctx context.Context) error { return t.block(ctx, n, at) })
				return step.Into(as, flow.Then(step.Map(func(tok) step.Unit { return step.Unit{} }), flow.Then(act, step.Map(func(step.Unit) tok { return t }))), t)
			})
		}},
		{name: "step.Delay", weight: 2, plan: func(_ *builder, n *node, _ place) stage { return step.Delay[tok](n.some(1)) }},
		{name: "step.DelayBy", plan: func(_ *builder, n *node, at place) stage {
			d := n.some(1)
			return step.DelayBy(func(_ step.Scope, t tok) time.Duration {
				if t.act(n, at) != nil {
					return -d
				}
				return d
			})
		}},
		{name: "Running.Cancel", uses: []string{"flow.Start"}, plan: func(_ *builder, n *node, at place) stage { // by a body of the run itself
			return step.Func(func(_ step.Scope, t tok) (tok, error) {
				if err := t.act(n, at); err != nil || t.life.arena.calm || t.life.roll(n)%8 != 0 {
					return t, err
				}
				t.life.cancel() //stepvet:ignore it waits only until the run is known to the scene
				return t, nil
			})
		}},
		{name: "step.Wait for ever", leaves: true, plan: func(_ *builder, n *node, at place) stage { // under a limit of its own
			return flow.Timeout(n.some(1), step.New(func(as step.Scope, t tok) step.Next[tok] {
				t.begin(n, at)
				t.hold(as, n)
				return step.Wait[tok](as, nil)
			}))
		}},
	}
}

func (t tok) hold(as step.Scope, n *node) {
	r := t.life.roll(n)
	if r%2 == 0 {
		t.life.opened.Add(1)
		step.StackCleanup(as, func(*int) {
			t.life.cleaned.Add(1)
			unpleasant(r >> 8)
		})
	}
	if r>>1%4 == 0 {
		calls := 0
		as.SetCancel(func() {
			if calls++; calls > 1 {
				t.life.wrong("hook", "the hook of #%d is called twice", n.id)
			}
			unpleasant(r >> 16)
		})
	}
}

// unpleasant panics or ends the goroutine that calls it, rarely.
func unpleasant(r uint64) {
	switch r % 64 {
	case 0:
		_ = fated(panics)
	case 1:
		_ = fated(exits)
	}
}

// newStep is a body that uses what a scope allows.
func newStep(_ *builder, n *node, at place) stage {
	return step.New(func(as step.Scope, t tok) step.Next[tok] {
		t.hold(as, n)
		err := t.act(n, at)
		r := t.life.roll(n)
		switch {
		case err != nil:
			return step.Fail[tok](err)
		case at.tasks != nil && r%4 == 0 && !t.life.spent():
			at.tasks.Go(as, tok{life: t.life, saga: t.saga})
		case !at.loop || n.n[1]%2 == 0 || r%4 != 0:
		case at.label != nil && r>>8%4 == 0:
			return loopx.BreakTo[tok](*at.label, t)
		case at.label != nil && r>>8%4 == 1 && !t.life.spent():
			return loopx.ContinueTo[tok](*at.label, t)
		case r>>8%4 == 2 && !t.life.spent():
			return loopx.Continue[tok]()
		default:
			return loopx.Break[tok]()
		}
		return step.Succeed(t)
	})
}

// wait is a step completed by one or two goroutines, of which one counts, or by a callback of the loop.
func wait(b *builder, n *node, at place) stage {
	return step.New(func(as step.Scope, t tok) step.Next[tok] {
		t.hold(as, n)
		err := t.act(n, at)
		r := t.life.roll(n)
		if r%16 == 0 && !b.arena.calm {
			as.SetTimeout(time.Duration(r>>8%500+1) * time.Microsecond)
		}
		return step.Wait(as, func(done step.Done[tok]) {
			var counted atomic.Int32
			complete := func() {
				var counts bool
				if err != nil {
					counts = done.Fail(err)
				} else {
					counts = done.Succeed(t)
				}
				if counts && counted.Add(1) > 1 {
					t.life.wrong("done", "two completions of #%d count", n.id)
				}
			}
			if r>>4%4 == 0 {
				if _, err := as.Loop().Deferred(time.Duration(r>>16%300)*time.Microsecond, complete); err != nil {
					complete()
				}
				return
			}
			for range 1 + r>>8%2 {
				b.arena.elsewhere(r>>24, complete)
			}
		})
	})
}

func await(_ *builder, n *node, at place) stage {
	return step.Await(func(ctx context.Context, t tok) (tok, error) { return t, t.block(ctx, n, at) })
}

// block is the body of an Await, which may take a while.
func (t tok) block(ctx context.Context, n *node, at place) error {
	err := t.act(n, at.elsewhere())
	if r := t.life.roll(n); r%2 == 0 {
		timer := time.NewTimer(time.Duration(r>>8%500) * time.Microsecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			if r>>32%2 == 0 {
				return context.Cause(ctx)
			}
		}
	}
	return err
}
