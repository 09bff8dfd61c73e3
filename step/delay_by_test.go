package step_test

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestDelayBy(t *testing.T) {
	seconds := step.DelayBy(func(_ step.Scope, in int) time.Duration { return time.Duration(in) * time.Second })
	for in, want := range map[int]time.Duration{3: 3 * time.Second, 0: 0, -5: 0} {
		l := tooltest.New()
		r := flow.Start(t.Context(), l, flow.Then(seconds, seconds), in)
		l.Run()
		if v, err := r.Result(); v != in || err != nil || l.Now() != 2*want {
			t.Errorf("%d: got %v, %v after %v", in, v, err, l.Now())
		}
	}
	t.Run("cancel: the timer is taken back", func(t *testing.T) {
		l := tooltest.New()
		r := flow.Start(t.Context(), l, seconds, 100)
		l.Step()
		r.Cancel(nil)
		l.Run()
		if _, err := r.Result(); !errors.Is(err, fault.Cancelled) || l.Now() != 0 {
			t.Errorf("got %v after %v", err, l.Now())
		}
	})
	t.Run("the clock of the loop", func(t *testing.T) {
		l := tooltest.New()
		until := step.DelayBy(func(as step.Scope, at time.Duration) time.Duration { return at - as.Loop().Host().Now() })
		r := flow.Start(t.Context(), l, flow.Then(step.Delay[time.Duration](3*time.Second), until), 10*time.Second)
		l.Run()
		if _, err := r.Result(); err != nil || l.Now() != 10*time.Second {
			t.Errorf("got %v after %v", err, l.Now())
		}
	})
	t.Run("panic, and no function", func(t *testing.T) {
		_, err := flow.Run(t.Context(), step.DelayBy(func(step.Scope, int) time.Duration { panic("oops") }), 1)
		if !errors.Is(err, fault.InternalError) {
			t.Errorf("got %v", err)
		}
		if _, err := flow.Run(t.Context(), step.DelayBy[int](nil), 1); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("got %v", err)
		}
	})
}
