package step_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func TestAct(t *testing.T) {
	t.Run("success", func(t *testing.T) {
		called := 0
		act := step.Act(func(context.Context) error { called++; return nil })
		if _, err := flow.Run(t.Context(), flow.Chain(act, act), step.Unit{}); called != 2 || err != nil {
			t.Error(called, err)
		}
	})
	t.Run("error: the step fails with it", func(t *testing.T) {
		sour := errors.New("sour")
		if _, err := flow.Run(t.Context(), step.Act(func(context.Context) error { return sour }), step.Unit{}); !errors.Is(err, sour) {
			t.Error(err)
		}
	})
	t.Run("cancel: the context ends", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := flow.Run(ctx, step.Act(func(ctx context.Context) error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		}), step.Unit{})
		if !errors.Is(err, fault.Cancelled) {
			t.Error(err)
		}
	})
	t.Run("nil body: the plan can't be run", func(t *testing.T) {
		_, err := flow.Run(t.Context(), step.Act(nil), step.Unit{})
		if !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "step.Act: the body is nil") {
			t.Error(err)
		}
	})
	t.Run("it is called by its function", func(t *testing.T) {
		tree := flow.Describe(step.Act(tidy)).Holds[0]
		if tree.Kind != "act" || tree.Func != "tidy" {
			t.Error(tree.Kind, tree.Func)
		}
	})
}

func tidy(context.Context) error { return nil }

func ExampleAct() {
	sweep := step.Act(func(context.Context) error {
		fmt.Println("swept")
		return nil
	})
	_, err := flow.Run(context.Background(), flow.Chain(sweep, sweep), step.Unit{})
	fmt.Println(err)
	// Output:
	// swept
	// swept
	// <nil>
}
