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

// hears is a handler that says the error and lets it pass. Where only a signal
// goes by, it must not be asked.
func (b *book) hears(s step.Step[int, int]) step.Step[int, int] {
	return flow.Catch(s, func(_ step.Scope, err error) step.Next[int] {
		b.say("handler: %s", fault.CodeOf(err))
		return step.Unwind[int]()
	})
}

// adds is a step without a way to fail.
func adds(n int) step.Step[int, int] { return step.Map(func(in int) int { return in + n }) }

// decides is a step that goes on as next says.
func decides(next func(as step.Scope, in int) step.Next[int]) step.Step[int, int] {
	return step.New(next)
}

// takes is a step that waits for d and gives its input.
func takes(d time.Duration) step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) {
			timer, _ := as.Loop().Deferred(d, func() { done.Succeed(in) })
			as.SetCancel(func() { as.Loop().Cancel(timer) })
		})
	})
}

// held gives s a hook, and a cleanup, that say so.
func (b *book) held(s step.Step[int, int]) step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		as.SetCancel(func() { b.say("hook") })
		step.StackCleanup(as, func(*int) { b.say("cleanup") })
		return step.Into(as, s, in)
	})
}
