package frame

import (
	"context"
	"sync/atomic"
)

// Attempt identifies an attempt of a retry, see [Attempt.Same], also after the run has gone on or ended. It is also a context, the
// parent of the contexts of the attempt's steps. Any goroutine may use it at any time.
type Attempt struct {
	context.Context
	outer *Attempt    // the Attempt of the next retry around; nil if there is none
	first *Attempt    // the first Attempt of the same retry, by which the retry is known
	n     int         // from 1
	ended atomic.Bool // the retry makes no further attempt; used only in first
}

type attemptKey struct{}

// Value implements context.Context.
func (t *Attempt) Value(key any) any {
	if key == (attemptKey{}) {
		return t
	}
	return t.Context.Value(key)
}

// AttemptOf returns the attempt that ctx belongs to; nil if it belongs to none.
func AttemptOf(ctx context.Context) *Attempt {
	t, _ := ctx.Value(attemptKey{}).(*Attempt)
	return t
}

// N returns the number of the attempt, from 1; 0 if t is nil.
func (t *Attempt) N() int {
	if t == nil {
		return 0
	}
	return t.n
}

// Same reports whether t and other stand for one attempt. There may be several Attempts for it, each with another context.
func (t *Attempt) Same(other *Attempt) bool {
	if t == nil || other == nil {
		return t == other
	}
	return t.first == other.first && t.n == other.n
}

// Replaces reports whether t is inside of a later attempt of a retry than earlier is. An attempt counts as inside of itself.
// Replaces reports false if either is nil.
func (t *Attempt) Replaces(earlier *Attempt) bool {
	for ; t != nil; t = t.outer {
		for e := earlier; e != nil; e = e.outer {
			if t.first == e.first && t.n > e.n {
				return true
			}
		}
	}
	return false
}

// Open returns the innermost of t and the attempts around it whose retry hasn't ended. It returns nil if there is none.
func (t *Attempt) Open() *Attempt {
	for t != nil && t.first.ended.Load() {
		t = t.outer
	}
	return t
}

// End marks the end of the retry whose first attempt is t. It does nothing if t is nil: then no code has asked for the context
// of an attempt.
func (t *Attempt) End() {
	if t != nil {
		t.ended.Store(true)
	}
}

// tried returns ctx, the parent of the context of the current step. If the step is an attempt, tried
// returns a new [Attempt] around ctx instead.
func (f *Frame) tried(ctx context.Context) context.Context {
	if !f.level.Attempts {
		return ctx
	}
	o := f.Op().(Attempts)
	t := &Attempt{Context: ctx, outer: AttemptOf(ctx)}
	t.n, _ = o.Attempt(f)
	first := o.Retry(f)
	if *first == nil {
		*first = t
		f.outer.Hold()
	}
	t.first = *first
	return t
}
