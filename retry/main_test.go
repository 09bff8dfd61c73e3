package retry_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var errDown = fault.New(fault.ConnectError, "server is down")

// book records the lines that steps of a test write.
type book struct{ lines []string }

func (b *book) say(format string, args ...any) {
	b.lines = append(b.lines, fmt.Sprintf(format, args...))
}

// is compares all lines with want.
func (b *book) is(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, b.lines); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
}

// timed runs s, and returns its result and the time that it took.
func timed[In, Out any](t *testing.T, s step.Step[In, Out], in In) (Out, time.Duration, error) {
	t.Helper()
	l, run := plantest.Start(t, s, in)
	out, err := plantest.Wait(t, l, run)
	return out, l.Now(), err
}

// fails returns a step that fails with errs, one after the other, then gives its input.
func fails(errs ...error) step.Step[int, int] {
	calls := 0
	return step.Func(func(_ step.Scope, in int) (int, error) {
		if calls++; calls <= len(errs) {
			return 0, errs[calls-1]
		}
		return in, nil
	})
}

// down returns a step that always fails, and counts.
func down(calls *int) step.Step[int, int] {
	return step.Func(func(step.Scope, int) (int, error) {
		*calls++
		return 0, errDown
	})
}

// held returns s with a hook and a cleanup that write lines.
func (b *book) held(s step.Step[int, int]) step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		n := as.Attempt()
		as.SetCancel(func() { b.say("hook %d", n) })
		step.StackCleanup(as, func(*int) { b.say("cleanup %d", n) })
		b.say("attempt %d", n)
		return step.Into(as, s, in)
	})
}

// silent is a step that is never completed.
var silent = step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) })
