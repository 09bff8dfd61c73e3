package op

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

type lazyKey struct{}

var errLazy = errors.New("it is left")

// A lazyContext ends as one of context.WithCancelCause does, whether its end is asked for before or after the cancel.
func TestLazyContext(t *testing.T) {
	outer, stop := context.WithTimeout(context.WithValue(t.Context(), lazyKey{}, 1), time.Hour)
	defer stop()
	for _, asked := range []bool{false, true} {
		c := &lazyContext{outer: outer}
		if asked && (c.Err() != nil || context.Cause(c) != nil) {
			t.Error("it has ended")
		}
		child, release := context.WithCancel(c)
		if !asked { // the child has asked
			c = &lazyContext{outer: outer}
		}
		if at, ok := c.Deadline(); !ok || c.Value(lazyKey{}) != 1 {
			t.Errorf("asked %t: deadline %v, value %v", asked, at, c.Value(lazyKey{}))
		}
		if made := c.made != nil; made != asked {
			t.Errorf("asked %t: a context was made: %t", asked, made)
		}
		c.cancel(errLazy)
		c.cancel(nil)
		if !errors.Is(context.Cause(c), errLazy) || !errors.Is(c.Err(), context.Canceled) {
			t.Errorf("asked %t: cause %v, error %v", asked, context.Cause(c), c.Err())
		}
		<-c.Done()
		if asked {
			<-child.Done()
		}
		release()
	}
}

// A context that is derived from a lazyContext, whose end was asked for, needs no goroutine to hear of that end.
func TestLazyContextOfChildren(t *testing.T) {
	c := &lazyContext{outer: t.Context()}
	_ = c.Err()
	before := runtime.NumGoroutine()
	_, release := context.WithCancel(c)
	defer release()
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines more", n-before)
	}
}

// The end of the outer context ends a lazyContext, and the contexts that are derived from it.
func TestLazyContextOuter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer, stop := context.WithCancelCause(t.Context())
		c := &lazyContext{outer: outer}
		child, release := context.WithCancel(context.WithValue(c, lazyKey{}, 2))
		defer release()
		called := make(chan struct{})
		context.AfterFunc(c, func() { close(called) })
		stop(errLazy)
		<-child.Done()
		<-called
		if !errors.Is(context.Cause(child), errLazy) || !errors.Is(context.Cause(c), errLazy) {
			t.Errorf("causes %v, %v", context.Cause(child), context.Cause(c))
		}
		late := &lazyContext{outer: outer}
		if late.Err() == nil || !errors.Is(context.Cause(late), errLazy) {
			t.Errorf("made late: %v", context.Cause(late))
		}
	})
}
