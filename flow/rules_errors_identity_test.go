package flow_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// machineErrors returns steps whose handlers are given an error made by the machine, by what the error tells.
func machineErrors() map[string]step.Step[none, none] {
	return map[string]step.Step[none, none]{
		"a limit that has passed": flow.Timeout(time.Second, new(recorder).waiting("hook")),
		"a panic":                 step.Func(func(step.Scope, none) (none, error) { panic("boom") }),
		"a broken rule": step.New(func(as step.Scope, _ none) step.Next[none] {
			return step.Wait(as, func(done step.Done[none]) {
				done.Succeed(none{})
				done.Succeed(none{})
			})
		}),
		"an error with secondary ones": step.Func(func(as step.Scope, _ none) (none, error) {
			step.StackCleanup(as, func(*none) {})
			as.SetCancel(func() { panic("hook") })
			return none{}, errBad
		}),
	}
}

// rethrow runs s under a handler that returns its error in one of three ways. It returns the error of the handler and
// that of the run.
func rethrow(t *testing.T, s step.Step[none, none], way string) (given, end error) {
	t.Helper()
	_, end = plantest.Run(t, flow.Catch(s, func(_ step.Scope, err error) step.Next[none] {
		given = err
		switch way {
		case "unwinds":
			return step.Unwind[none]()
		case "fails with it":
			return step.Fail[none](err)
		default:
			return step.Fail[none](fmt.Errorf("again: %w", err))
		}
	}), none{})
	return given, end
}

// E6: errors.Is finds the error that a handler was given in the error of the run.
func TestE6Identity(t *testing.T) {
	for name, s := range machineErrors() {
		for _, way := range []string{"unwinds", "fails with it", "wraps it"} {
			t.Run("E6 "+name+", the handler "+way, func(t *testing.T) {
				given, end := rethrow(t, s, way)
				if !errors.Is(end, given) {
					t.Errorf("errors.Is doesn't find %v in %v", given, end)
				}
			})
		}
	}
}

// An error made by the machine is printed once, though it is also the cause of the run's error.
func TestE6IdentityPrintsOnce(t *testing.T) {
	for name, s := range machineErrors() {
		for _, way := range []string{"unwinds", "fails with it"} {
			given, end := rethrow(t, s, way)
			info := fault.InfoOf(given)
			for _, verb := range []string{"%v", "%+v"} {
				if text := fmt.Sprintf(verb, end); strings.Count(text, info) != 1 {
					t.Errorf("%s, the handler %s: %s says %q not once:\n%s", name, way, verb, info, text)
				}
			}
			text := fmt.Sprint(plantest.WantCode(t, end, fault.CodeOf(given)).LogValue())
			if strings.Count(text, info) != 1 && !errors.Is(end, errBad) { // a declared error is printed as the cause, so its info comes twice
				t.Errorf("%s, the handler %s: the log says %q not once:\n%s", name, way, info, text)
			}
		}
	}
}

// E6: if a step of another run returns an error that a handler was given, the other run fails at that step, with that
// error as the cause.
func TestE6ErrorOfAnotherRun(t *testing.T) {
	for name, s := range machineErrors() {
		given, _ := rethrow(t, s, "unwinds")
		_, end := plantest.Run(t, flow.Chain(new(recorder).step("before"), new(recorder).failing("second", given)), none{})
		e := plantest.WantCode(t, end, fault.CodeOf(given))
		if e.Path != "1" || !errors.Is(end, given) {
			t.Errorf("%s: the second run ended with %v, want a failure of its step 1 caused by %v", name, end, given)
		}
		if first, ok := errors.AsType[*fault.Error](given); ok && first.Path != "" && !strings.Contains(fmt.Sprintf("%+v", end), first.Site.String()) {
			t.Errorf("%s: nothing says where the first run failed:\n%+v", name, end)
		}
	}
}

// E6: if runs on two loops return the same error, and each meets another error on its way, neither the shared error
// nor the other run's error changes.
func TestE6SharedErrorStaysAsItIs(t *testing.T) {
	shared := fault.New("Shared", "")
	shared.Path = "0/0"
	shared.Secondary = append(make([]error, 0, 8), io.EOF)
	meets := func(err error) step.Step[none, none] {
		return step.Func(func(as step.Scope, _ none) (none, error) {
			as.SetCancel(func() { panic(err) })
			return none{}, shared
		})
	}
	var ends [2]error
	var mine [2]error
	var both sync.WaitGroup
	for i := range ends {
		mine[i] = fmt.Errorf("of run %d", i)
		l := tool.Start(tool.Options{})
		both.Go(func() {
			_, ends[i] = flow.Start(t.Context(), l, meets(mine[i]), none{}).Wait(t.Context())
			l.Shutdown(t.Context())
		})
	}
	both.Wait()
	for i, end := range ends {
		if !errors.Is(end, mine[i]) || errors.Is(end, mine[1-i]) {
			t.Errorf("run %d has ended with\n%+v", i, end)
		}
	}
	if all := shared.Secondary[:cap(shared.Secondary)]; all[1] != nil {
		t.Errorf("the shared error's array has got %v", all[1])
	}
}
