package flow_test

import (
	"context"
	"io/fs"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

type panickingError struct{ s string }

func (e *panickingError) Error() string { return e.s }

// E4, E6: an error whose methods panic, such as a nil pointer in an interface, is handled like others.
func TestErrorsThatPanic(t *testing.T) {
	for name, err := range map[string]error{"Unwrap": (*fs.PathError)(nil), "Error": (*panickingError)(nil)} {
		t.Run(name, func(t *testing.T) {
			fails := step.Func(func(step.Scope, int) (int, error) { return 0, err })
			_, got := flow.Run(t.Context(), fails, 1)
			if e, ok := got.(*fault.Error); !ok || e.Code != fault.InternalError || e.Cause != err {
				t.Errorf("ended with %T", got)
			}
		})
	}
}

func TestCauseThatPanics(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancels := step.Map(func(i int) int { cancel((*panickingError)(nil)); return i })
	never := step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) })
	_, err := flow.Run(ctx, flow.Then(cancels, never), 1)
	if e, ok := err.(*fault.Error); !ok || e.Code != fault.Cancelled {
		t.Errorf("ended with %T", err)
	}
}

// If one function given to Then ends the goroutine, the others are called.
func TestThenThatEndsTheGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := tool.Start(tool.Options{OnError: func(error) {}})
		asked := make(chan struct{})
		waits := step.Map(func(i int) int {
			<-asked //stepvet:ignore nobody else is on the loop
			return i + 1
		})
		r := flow.Start(t.Context(), loop, waits, 1)
		heard := 0
		for range 3 {
			r.Then(func(v int, _ error) { // on the loop: the run hasn't ended yet
				heard += v
				runtime.Goexit()
			})
		}
		close(asked)
		if err := loop.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if heard != 6 {
			t.Errorf("%d of three have heard of it", heard/2)
		}
	})
}
