package step_test

import (
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var errBad = fault.New("Bad", "it went wrong")

// result runs s in virtual time until the loop is idle, and returns its result.
func result[In, Out any](t *testing.T, s step.Step[In, Out], in In) (Out, error) {
	t.Helper()
	l := tooltest.New()
	r := flow.Start(t.Context(), l, s, in)
	l.Run()
	out, err := r.Result()
	if errors.Is(err, flow.ErrRunning) {
		t.Fatal("the loop is idle and the run hasn't ended")
	}
	if errs := l.Errors(); len(errs) != 0 {
		t.Errorf("reported to the loop: %v", errs)
	}
	return out, err
}

// gives checks the result of s.
func gives[In any, Out comparable](t *testing.T, s step.Step[In, Out], in In, want Out) {
	t.Helper()
	if got, err := result(t, s, in); got != want || err != nil {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// fails checks the error of s.
func fails[In, Out any](t *testing.T, s step.Step[In, Out], in In, code fault.Code) *fault.Error {
	t.Helper()
	_, err := result(t, s, in)
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Code != code {
		t.Fatalf("got %T %v, want a *fault.Error with code %s", err, err, code)
	}
	return e
}
