package frame

import (
	"context"
	"time"
)

// Context returns the context of the current step, and makes it on first use. It ends with the step. Its deadline is the
// earliest of the limits of the step and of the steps around it, and of the deadline of the run's context. Limits and
// deadlines outside of a shield around the step don't count.
func (f *Frame) Context() context.Context {
	g := f.equip()
	if g.hasContext() {
		return g.context()
	}
	g.setContext(f.tried(f.Outer()))
	ctx := g.context()
	r := f.Run()
	if f == r.cur.top && (r.doing == hooking || r.doing == cleaning) {
		g.endContext(f.fiber.failed()) // the step is over
	}
	return ctx
}

// Provide makes the context of the current step, with the given value. The step must not have a context yet.
func (f *Frame) Provide(key, value any) {
	g := f.equip()
	g.setContext(context.WithValue(f.tried(f.Outer()), key, value))
}

// Outer returns the context of the nearest step around the current one that has a context, or that of the nearest shield if
// the shield is nearer. If there is neither, Outer returns the context of the run. The deadline of the result is no later than
// the limits of the steps in between. If an attempt of a retry is in between, the result also has the number of the attempt.
func (f *Frame) Outer() context.Context {
	ends := never
	for s := f.fiber; ; f = s.top {
		for p := f.outer; p != nil; p = p.outer {
			if g := p.resources; g != nil {
				if g.hasContext() {
					return s.run.limit(g.context(), ends)
				}
				ends = min(ends, g.limitEnds())
			}
			if p.level.Attempts { // contexts outside don't have the number of the attempt
				return s.run.limit(p.tried(p.Outer()), ends)
			}
		}
		if s.parent() == nil {
			return s.run.limit(s.run.Context(), ends)
		}
		if s.fork.Shields {
			return s.run.limit(s.fork.context(), ends)
		}
		// While branches live, the step that holds them is the current one of the innermost level of its fiber.
		s = s.parent()
		if g := s.top.resources; g != nil {
			if g.hasContext() {
				return s.run.limit(g.context(), ends)
			}
			ends = min(ends, g.limitEnds())
		}
	}
}

// Value returns the value for key in the nearest context outwards; nil if that context has none. Unlike [Frame.Outer] it makes
// no context, so it doesn't know the number of an attempt if nobody has asked for the context of that attempt.
func (f *Frame) Value(key any) any {
	for s := f.fiber; ; f = s.top {
		for p := f.outer; p != nil; p = p.outer {
			if g := p.resources; g != nil && g.hasContext() {
				return g.extras.base.Value(key)
			}
		}
		if s.parent() == nil {
			return s.run.Context().Value(key)
		}
		s = s.parent()
		if g := s.top.resources; g != nil && g.hasContext() {
			return g.extras.base.Value(key)
		}
	}
}

func (g *resources) hasContext() bool { return g.extras != nil && g.extras.base != nil }

func (g *resources) setContext(ctx context.Context) {
	x := g.extra()
	x.base, x.cancel = context.WithCancelCause(ctx)
}

// context returns the context of the step, with the limit that the step has now.
func (g *resources) context() context.Context {
	x := g.extras
	if ends := g.limitEnds(); x.ctx == nil || ends != x.shown {
		x.ctx, x.shown = g.frame.Run().limit(x.base, ends), ends
	}
	return x.ctx
}

// limitEnds returns when the limit of the step ends; never if there is no limit. A limit that isn't armed yet is armed first,
// because only then its end is known.
func (g *resources) limitEnds() time.Duration {
	if g.isYoung {
		g.frame.Run().needLoop() // arms it
	}
	if g.limit == 0 { // none, or one that the loop has refused
		return never
	}
	return g.ends
}

func (g *resources) endContext(cause error) {
	if g.hasContext() {
		x := g.extras
		cancel := x.cancel
		x.base, x.ctx, x.cancel = nil, nil, nil
		cancel(cause)
	}
}

// deadlined is a context with the deadline of a step (C8). It has no timer of its own: the timer of the step ends the context.
type deadlined struct {
	context.Context
	deadline time.Time
}

// Deadline implements context.Context.
func (c *deadlined) Deadline() (time.Time, bool) { return c.deadline, true }

// limit returns ctx with the deadline at, a time of the loop's clock. It returns ctx itself if at is never, or if
// ctx has a deadline that is no later.
func (r *Run) limit(ctx context.Context, at time.Duration) context.Context {
	if at == never {
		return ctx
	}
	deadline := r.Host().Time(at)
	if other, ok := ctx.Deadline(); ok && !deadline.Before(other) {
		return ctx
	}
	return &deadlined{ctx, deadline}
}
