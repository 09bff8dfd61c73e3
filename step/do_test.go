package step_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func TestDo(t *testing.T) {
	t.Run("success: the input goes on", func(t *testing.T) {
		got := 0
		out, err := flow.Run(t.Context(), step.Do(func(_ context.Context, in int) error { got = in; return nil }), 7)
		if out != 7 || got != 7 || err != nil {
			t.Errorf("got %d, %d, %v", out, got, err)
		}
	})
	t.Run("error: the step fails with it", func(t *testing.T) {
		sour := errors.New("sour")
		if _, err := flow.Run(t.Context(), step.Do(func(context.Context, int) error { return sour }), 7); !errors.Is(err, sour) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("C7 cancel: the context ends", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := flow.Run(ctx, step.Do(func(ctx context.Context, _ int) error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		}), 7)
		if !errors.Is(err, fault.Cancelled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("nil body: the plan can't be run", func(t *testing.T) {
		_, err := flow.Run(t.Context(), step.Do[int](nil), 7)
		if !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "step.Do: the body is nil") || !strings.Contains(err.Error(), "do_test.go") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("it has a kind of its own", func(t *testing.T) {
		if kind := flow.Describe(step.Do(func(context.Context, int) error { return nil })).Holds[0].Kind; kind != "do" {
			t.Errorf("got %q", kind)
		}
	})
}
