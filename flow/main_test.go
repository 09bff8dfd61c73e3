package flow_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/seedtest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestMain(m *testing.M) {
	seedtest.Fix()
	leaktest.Main(m)
}

// none is the type of steps without an input or a result.
type none = struct{}

// book records the lines that steps of a test write.
type book struct{ lines []string }

func (b *book) say(format string, args ...any) {
	b.lines = append(b.lines, fmt.Sprintf(format, args...))
}

// step returns a step that writes line and succeeds.
func (b *book) step(line string) step.Step[none, none] {
	return step.Func(func(step.Scope, none) (none, error) {
		b.say("%s", line)
		return none{}, nil
	})
}

// is compares all lines with want.
func (b *book) is(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, b.lines); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
}

// failing returns a step that writes its name and fails with err.
func (b *book) failing(name string, err error) step.Step[none, none] {
	return step.Func(func(step.Scope, none) (none, error) {
		b.say("%s", name)
		return none{}, err
	})
}

// waiting returns a step that is never completed; its hook writes name.
func (b *book) waiting(name string) step.Step[none, none] {
	return step.New(func(as step.Scope, _ none) step.Next[none] {
		as.SetCancel(func() { b.say("%s", name) })
		return step.Wait[none](as, nil)
	})
}
