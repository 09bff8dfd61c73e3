package frame

import (
	"context"
	"math"
	"time"
)

// never is when the limit of a step ends that has none.
const never = time.Duration(math.MaxInt64)

// moment returns now+d, or never if that overflows.
func moment(now, d time.Duration) time.Duration {
	if now > 0 {
		d = min(d, never-now)
	}
	return now + d
}

// deadlined is a context whose deadline is that of a step (C8). The step's timer
// ends it: it has none of its own.
type deadlined struct {
	context.Context
	deadline time.Time
}

// Deadline implements context.Context.
func (c *deadlined) Deadline() (time.Time, bool) { return c.deadline, true }

// limit returns ctx with the deadline at, a time of the loop's clock, unless ctx has a nearer
// one.
func (r *Run) limit(ctx context.Context, at time.Duration) context.Context {
	if at == never {
		return ctx
	}
	deadline := r.Tool().Host().Time(at)
	if other, ok := ctx.Deadline(); ok && !deadline.Before(other) {
		return ctx
	}
	return &deadlined{ctx, deadline}
}

// Context ends with the current step; it is made on first use. Its deadline is
// the nearest limit around what runs under the step.
func (f *Frame) Context() context.Context {
	g := f.equip()
	if g.hasContext() {
		return g.context()
	}
	g.setContext(f.numbered(f.Outer()))
	ctx := g.context()
	r := f.Run()
	if f == r.cur.top && (r.doing == hooking || r.doing == cleaning) {
		g.endContext(f.fiber.failed()) // the step is being left
	}
	return ctx
}

// context returns the context of the step, with the limit that the step has now.
func (g *resources) context() context.Context {
	x := g.extras
	if ends := g.until(); x.ctx == nil || ends != x.shown {
		x.ctx, x.shown = g.frame.Run().limit(x.base, ends), ends
	}
	return x.ctx
}

// until returns when the limit of the step ends.
func (g *resources) until() time.Duration {
	if g.limit == 0 {
		return never
	}
	if g.isYoung {
		g.frame.Run().settleIn() // arms it
	}
	return g.ends
}

// Outer is the context of the nearest step outwards that has one, or of the run,
// with the nearest limit of the steps between as its deadline.
func (f *Frame) Outer() context.Context {
	ends := never
	for s := f.fiber; ; f = s.top {
		for p := f.outer; p != nil; p = p.outer {
			if g := p.resources; g != nil {
				if g.hasContext() {
					return s.run.limit(g.context(), ends)
				}
				ends = min(ends, g.until())
			}
			if p.level.Attempts { // its context has the number
				return s.run.limit(p.Context(), ends)
			}
		}
		if s.parent() == nil {
			return s.run.limit(s.run.Context(), ends)
		}
		if s.fork.Shields {
			return s.run.limit(s.fork.context(), ends)
		}
		// The forking step is its fiber's innermost level while branches live.
		s = s.parent()
		if g := s.top.resources; g != nil {
			if g.hasContext() {
				return s.run.limit(g.context(), ends)
			}
			ends = min(ends, g.until())
		}
	}
}

// endContext ends the step's context, if it was ever asked for.
func (g *resources) endContext(cause error) {
	if g.hasContext() {
		x := g.extras
		cancel := x.cancel
		x.base, x.ctx, x.cancel = nil, nil, nil
		cancel(cause)
	}
}
