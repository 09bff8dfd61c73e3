package loopx_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var errTurn = fault.New("Turn", "of a turn")

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

// hears returns s with a handler that writes the error and gives no answer. It must not be called for a break or
// continue.
func (b *book) hears(s step.Step[int, int]) step.Step[int, int] {
	return flow.Catch(s, func(_ step.Scope, err error) step.Next[int] {
		b.say("handler: %s", fault.CodeOf(err))
		return step.Unwind[int]()
	})
}

// adds returns a step that adds n.
func adds(n int) step.Step[int, int] { return step.Map(func(in int) int { return in + n }) }

// decides returns a step that goes on as next says.
func decides(next func(as step.Scope, in int) step.Next[int]) step.Step[int, int] {
	return step.New(next)
}

// takes returns a step that waits for d and gives its input.
func takes(d time.Duration) step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) {
			timer, _ := as.Loop().Deferred(d, func() { done.Succeed(in) })
			as.SetCancel(func() { as.Loop().Cancel(timer) })
		})
	})
}

// held returns s with a hook and a cleanup that write lines.
func (b *book) held(s step.Step[int, int]) step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		as.SetCancel(func() { b.say("hook") })
		step.StackCleanup(as, func(*int) { b.say("cleanup") })
		return step.Into(as, s, in)
	})
}
