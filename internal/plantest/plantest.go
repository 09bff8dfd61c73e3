// Package plantest runs plans for the tests of this module, in virtual time.
package plantest

import (
	"errors"
	"reflect"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// maxCallbacks limits how many callbacks a loop runs in one call, so that an endless plan fails its test instead of holding it up.
const maxCallbacks = 1_000_000

// NewLoop returns a loop in virtual time. When tb ends, errors that were reported to the loop fail tb.
func NewLoop(tb testing.TB) *tooltest.Loop {
	tb.Helper()
	loop := tooltest.New(tooltest.WithLimit(maxCallbacks))
	tb.Cleanup(func() {
		tb.Helper()
		for _, err := range loop.Errors() {
			tb.Errorf("reported to the loop: %v", err)
		}
	})
	return loop
}

// Start starts a run of s on a new loop, made by [NewLoop]. Nothing runs until the test drives the loop.
func Start[In, Out any](tb testing.TB, s step.Step[In, Out], in In) (*tooltest.Loop, *flow.Running[Out]) {
	tb.Helper()
	loop := NewLoop(tb)
	return loop, flow.Start(tb.Context(), loop, s, in)
}

// Result returns the result of run. If the run hasn't ended, Result fails tb and stops it.
func Result[Out any](tb testing.TB, run *flow.Running[Out]) (Out, error) {
	tb.Helper()
	out, err := run.Result()
	if errors.Is(err, flow.ErrRunning) {
		tb.Fatal("the run hasn't ended")
	}
	return out, err
}

// Wait drives the loop until it is idle and returns the result of the run, which must have ended by then.
func Wait[Out any](tb testing.TB, loop *tooltest.Loop, run *flow.Running[Out]) (Out, error) {
	tb.Helper()
	loop.Run()
	return Result(tb, run)
}

// Run runs s until it has ended, and returns its result.
func Run[In, Out any](tb testing.TB, s step.Step[In, Out], in In) (Out, error) {
	tb.Helper()
	loop, run := Start(tb, s, in)
	return Wait(tb, loop, run)
}

// WantResult runs s, which must succeed with want.
func WantResult[In, Out any](tb testing.TB, s step.Step[In, Out], in In, want Out) {
	tb.Helper()
	got, err := Run(tb, s, in)
	if err != nil {
		tb.Fatalf("failed: %v", err)
	}
	if !reflect.DeepEqual(got, want) {
		tb.Errorf("got %+v, want %+v", got, want)
	}
}

// WantFailure runs s, which must fail with the given code. It returns the result of [WantCode].
func WantFailure[In, Out any](tb testing.TB, s step.Step[In, Out], in In, code fault.Code) *fault.Error {
	tb.Helper()
	_, err := Run(tb, s, in)
	return WantCode(tb, err, code)
}

// WantCode returns the [*fault.Error] that err is or wraps. If there is none, or if it has another code, WantCode fails tb and
// stops it. An empty code means that err must be nil; then the result is nil too.
func WantCode(tb testing.TB, err error, code fault.Code) *fault.Error {
	tb.Helper()
	if code == "" {
		if err != nil {
			tb.Fatalf("failed: %v", err)
		}
		return nil
	}
	e, ok := fault.AsType[*fault.Error](err)
	if !ok {
		tb.Fatalf("got %T %v, want a *fault.Error", err, err)
	}
	if e.Code != code {
		tb.Fatalf("got code %s of %v, want %s", e.Code, err, code)
	}
	return e
}
