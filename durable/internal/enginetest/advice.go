package enginetest

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

type askingError struct{}

func (askingError) Error() string { return "busy" }

func (askingError) RetryAfter() (time.Duration, bool) { return 20 * time.Millisecond, true }

type lastingError struct{}

func (lastingError) Error() string { return "not there" }

func (lastingError) Permanent() bool { return true }

// Advice checks that the retry of a plan, executed by run, sees the methods Permanent and RetryAfter of errors of bodies.
func Advice(t *testing.T, run func(w *durable.Workflow[int, int]) (int, error)) {
	t.Helper()
	var calls atomic.Int32
	var pause time.Duration
	policy := retry.Policy{Tries: 5, OnRetry: func(_ int, _ error, d time.Duration) { pause = d }}
	body := step.Await(func(context.Context, int) (int, error) {
		if calls.Add(1) == 1 {
			return 0, askingError{}
		}
		return 0, lastingError{}
	})
	_, err := run(durable.New("advised", retry.Of(policy, flow.Named("ask", body))))
	if n := calls.Load(); err == nil || n != 2 || pause != 20*time.Millisecond {
		t.Errorf("there were %d calls, want 2; the pause was %v, want 20ms; %v", n, pause, err)
	}
}
