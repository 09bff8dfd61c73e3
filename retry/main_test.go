package retry_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var errDown = fault.New(fault.ConnectError, "server is down")

// book is what a test's steps have said so far.
type book struct{ lines []string }

func (b *book) say(format string, args ...any) {
	b.lines = append(b.lines, fmt.Sprintf(format, args...))
}

// is compares everything said with want.
func (b *book) is(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, b.lines); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
}

// begin queues a run on a loop in virtual time.
func begin[In, Out any](t *testing.T, s step.Step[In, Out], in In) (*tooltest.Loop, *flow.Running[Out]) {
	t.Helper()
	l := tooltest.New(tooltest.WithLimit(100_000))
	return l, flow.Start(t.Context(), l, s, in)
}

// play runs s in virtual time until it has ended, and gives the time that has passed.
func play[In, Out any](t *testing.T, s step.Step[In, Out], in In) (Out, time.Duration, error) {
	t.Helper()
	l, run := begin(t, s, in)
	out, err := finish(t, l, run)
	return out, l.Now(), err
}

// finish lets the loop become idle, by when the run must have ended. Nothing
// may be reported to the loop, nor wait on it.
func finish[Out any](t *testing.T, l *tooltest.Loop, run *flow.Running[Out]) (Out, error) {
	t.Helper()
	l.Run()
	out, err := run.Result()
	if errors.Is(err, flow.ErrRunning) {
		t.Fatal("the loop is idle and the run hasn't ended")
	}
	if errs := l.Errors(); len(errs) != 0 {
		t.Errorf("reported to the loop: %v", errs)
	}
	return out, err
}

// fails is a step that fails with errs, one after the other, then gives its input.
func fails(errs ...error) step.Step[int, int] {
	calls := 0
	return step.Func(func(_ step.Scope, in int) (int, error) {
		if calls++; calls <= len(errs) {
			return 0, errs[calls-1]
		}
		return in, nil
	})
}

// down is a step that always fails, and counts.
func down(calls *int) step.Step[int, int] {
	return step.Func(func(step.Scope, int) (int, error) {
		*calls++
		return 0, errDown
	})
}

// coded fails t unless err has the code.
func coded(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Errorf("got %v, want %s", err, code)
	}
}

// held gives s a hook, and a cleanup, that say so.
func (b *book) held(s step.Step[int, int]) step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		n := as.Attempt()
		as.SetCancel(func() { b.say("hook %d", n) })
		step.StackCleanup(as, func(*int) { b.say("cleanup %d", n) })
		b.say("attempt %d", n)
		return step.Into(as, s, in)
	})
}

// silent is a step that nobody completes.
var silent = step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) })
