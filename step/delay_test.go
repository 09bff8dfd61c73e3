package step_test

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestDelay(t *testing.T) {
	t.Run("success: after the time, and not before", func(t *testing.T) {
		l := tooltest.New()
		r := flow.Start(t.Context(), l, flow.Then(step.Delay[int](time.Second), step.Delay[int](0)), 7)
		l.Run()
		if v, err := r.Result(); v != 7 || err != nil {
			t.Errorf("got %v, %v", v, err)
		}
		if l.Now() != time.Second {
			t.Errorf("it took %v", l.Now())
		}
	})
	t.Run("cancel: the timer is taken back", func(t *testing.T) {
		l := tooltest.New()
		r := flow.Start(t.Context(), l, step.Delay[int](time.Hour), 7)
		l.Step()
		r.Cancel(nil)
		l.Run()
		if _, err := r.Result(); !errors.Is(err, fault.Cancelled) {
			t.Errorf("got %v", err)
		}
		if l.Now() != 0 {
			t.Errorf("the loop went on to %v", l.Now())
		}
	})
	t.Run("timeout: the same, and the next use of the memory is its own", func(t *testing.T) {
		l := tooltest.New()
		late := flow.Catch(flow.Timeout(time.Second, step.Delay[int](time.Hour)), func(step.Scope, error) step.Next[int] {
			return step.Succeed(8)
		})
		for range 3 {
			before := l.Now()
			r := flow.Start(t.Context(), l, late, 7)
			l.Run()
			if v, err := r.Result(); v != 8 || err != nil {
				t.Errorf("got %v, %v", v, err)
			}
			if took := l.Now() - before; took != time.Second {
				t.Errorf("it took %v", took)
			}
		}
	})
	t.Run("below zero: the plan can't be run", func(t *testing.T) {
		if _, err := flow.Run(t.Context(), step.Delay[int](-1), 7); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a loop that shuts down: the step fails", func(t *testing.T) {
		l := tooltest.New()
		r := flow.Start(t.Context(), closing{l}, step.Delay[int](1), 7)
		l.Run()
		if _, err := r.Result(); !errors.Is(err, tool.ErrShutdown) {
			t.Errorf("got %v", err)
		}
	})
}

type closing struct{ *tooltest.Loop }

func (closing) Deferred(time.Duration, func()) (tool.Handle, error) { return 0, tool.ErrShutdown }
