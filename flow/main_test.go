package flow_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/step"
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
