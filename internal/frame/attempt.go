package frame

import "context"

// Attempts is the op of a [Level] of attempts.
type Attempts interface {
	// Attempt is which attempt the step of f is, from 1, and how many there may
	// be; 0 if there is no limit.
	Attempt(f *Frame) (n, most int)
}

// Attempt is which attempt of the nearest retry around f, or of f itself, this
// is; 0 if there is none. It allocates nothing and looks at every level on the way.
func (f *Frame) Attempt() (n, most int) {
	for s := f.fiber; ; s = s.parent() {
		for ; f != nil; f = f.outer {
			if f.level.Attempts {
				return f.Op().(Attempts).Attempt(f)
			}
		}
		if s.parent() == nil {
			return s.run.attempt()
		}
		f = s.parent().top // its current step is the fork
	}
}

// attempt returns which attempt of a retry r is part of, because a step inside of the retry waits for
// the end of r; 0 if it is part of none.
func (r *Run) attempt() (n, most int) {
	if g, ok := r.owner.(Guest); ok {
		return g.Attempt()
	}
	return 0, 0
}

// attemptKey is the context key of the number of an attempt.
type attemptKey struct{}

// AttemptOf returns the number of the attempt that ctx belongs to; 0 if it belongs to none.
func AttemptOf(ctx context.Context) int {
	n, _ := ctx.Value(attemptKey{}).(int)
	return n
}

// numbered returns ctx, the parent of the context of the current step. If the step is an
// attempt, it adds the number.
func (f *Frame) numbered(ctx context.Context) context.Context {
	if !f.level.Attempts {
		return ctx
	}
	n, _ := f.Op().(Attempts).Attempt(f)
	return context.WithValue(ctx, attemptKey{}, n)
}

// Also keeps errors that belong to the one that the handler of the current step is given: they
// become its secondary errors, unless it is recovered.
func (f *Frame) Also(errs ...error) { f.fiber.trace.also(errs...) }
