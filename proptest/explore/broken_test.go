package explore_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/proptest/explore"
)

// thirdBreaks returns a body that calls breaks if the last of three callbacks comes first.
func thirdBreaks(breaks func()) explore.Body {
	return func(x *explore.Trial) error {
		if err := thirdFirst(x); err != nil {
			breaks()
		}
		return nil
	}
}

// A panic of the body, or of an action, fails it, and the failure is simplified like others.
func TestPanicOfTheBody(t *testing.T) {
	panics := func() { panic(errThird) }
	for name, body := range map[string]explore.Body{
		"the body": thirdBreaks(panics),
		"an action": func(x *explore.Trial) error {
			_, _ = x.Loop().Immediate(func() { x.Note("a callback") })
			return x.Run(explore.Action{Name: "action", Do: func() {
				if len(x.Notes()) > 1 {
					panics()
				}
			}})
		},
	} {
		all := explore.All(explore.Bounds{}, body)
		for how, r := range map[string]explore.Result{"all": all, "drawn": explore.Drawn(1, 100, body)} {
			if r.Failure == nil || !errors.Is(r.Failure.Err, errThird) || errors.Is(r.Failure.Err, explore.ErrNondeterministic) {
				t.Fatalf("%s, %s: %+v", name, how, r.Failure)
			}
			if _, is := errors.AsType[*fault.Panic](r.Failure.Err); !is || r.Failure.Schedule.Delays() > 1 {
				t.Errorf("%s, %s: %+v", name, how, r.Failure)
			}
		}
	}
	for _, workers := range []int{1, 4} {
		r := &recorder{TB: t}
		explore.Check(r, explore.Bounds{Workers: workers}, thirdBreaks(panics))
		for _, want := range []string{errThird.Error(), "EXPLORE_REPLAY=0.2 ", "explore_test.TestPanicOfTheBody.func1("} {
			if !strings.Contains(r.failed, want) {
				t.Errorf("%q is missing in\n%s", want, r.failed)
			}
		}
	}
}

// A body that ends its goroutine, as t.Fatal does, ends Check. The log tells under which schedule.
func TestBodyEndsItsGoroutine(t *testing.T) {
	r := &recorder{TB: t}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		explore.Check(r, explore.Bounds{}, thirdBreaks(runtime.Goexit))
	}()
	<-ended
	for _, want := range []string{"ended its goroutine", "EXPLORE_REPLAY="} {
		if !strings.Contains(r.logged, want) {
			t.Errorf("%q is missing in\n%s", want, r.logged)
		}
	}
}
