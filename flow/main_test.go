package flow_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// none is the input or result of steps that are run for their effect.
type none = struct{}

// book is what a test's steps have said so far.
type book struct{ lines []string }

func (b *book) say(format string, args ...any) {
	b.lines = append(b.lines, fmt.Sprintf(format, args...))
}

// step says line and succeeds.
func (b *book) step(line string) step.Step[none, none] {
	return step.Func(func(step.Scope, none) (none, error) {
		b.say("%s", line)
		return none{}, nil
	})
}

// is compares everything said with want.
func (b *book) is(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, b.lines); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
}

// play runs s in virtual time until the loop is idle, by when it must have
// ended, and gives its result. Nothing may be reported to the loop.
func play[In, Out any](t *testing.T, s step.Step[In, Out], in In) (Out, error) {
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

// plays is play for a run that must end with want.
func plays[In, Out any](t *testing.T, s step.Step[In, Out], in In, want Out) {
	t.Helper()
	got, err := play(t, s, in)
	if err != nil {
		t.Fatalf("failed: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

// coded gives the error of a run, which must have the code.
func coded(t *testing.T, err error, code fault.Code) *fault.Error {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("got %T %v, want a *fault.Error", err, err)
	}
	if e.Code != code {
		t.Fatalf("got code %s of %v, want %s", e.Code, err, code)
	}
	return e
}

// failing is a step that says its name and fails with err.
func (b *book) failing(name string, err error) step.Step[none, none] {
	return step.Func(func(step.Scope, none) (none, error) {
		b.say("%s", name)
		return none{}, err
	})
}

// waiting is a step that nobody completes; its hook says name.
func (b *book) waiting(name string) step.Step[none, none] {
	return step.New(func(as step.Scope, _ none) step.Next[none] {
		as.SetCancel(func() { b.say("%s", name) })
		return step.Wait[none](as, nil)
	})
}
