package flow_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestOrElse(t *testing.T) {
	sour := errors.New("sour")
	fails := func(err error) step.Step[int, int] {
		return step.Func(func(step.Scope, int) (int, error) { return 7, err })
	}
	twice := step.New(func(as step.Scope, n int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) {
			done.Succeed(n)
			done.Succeed(n) // breaks a rule
		})
	})
	for _, c := range []struct {
		name string
		s    step.Step[int, int]
		want int
		err  error
	}{
		{"a value", plantest.Add(1), 2, nil},
		{"an error of Go", fails(sour), -1, nil},
		{"an error of Go that is wrapped", fails(fmt.Errorf("it is %w", sour)), -1, nil},
		{"an error with a code", fails(fault.New("NoMoney", "")), -1, nil},
		{"an error of sub-steps", flow.Then(plantest.Add(1), flow.Then(fails(sour), plantest.Add(1))), -1, nil},
		{"a limit", flow.Timeout(time.Millisecond, step.Delay[int](time.Hour)), -1, nil},
		{"a panic", step.Map(func(int) int { panic("no") }), 0, fault.InternalError},
		{"a panic with an error", step.Map(func(int) int { panic(sour) }), 0, sour},
		{"a broken rule", twice, 0, fault.InternalError},
		{"InternalError said by a body", fails(fault.New(fault.InternalError, "")), 0, fault.InternalError},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := plantest.Run(t, flow.OrElse(c.s, -1), 1)
			if out != c.want || !errors.Is(err, c.err) {
				t.Errorf("got %d, %v, want %d, %v", out, err, c.want, c.err)
			}
		})
	}

	t.Run("Goexit", func(t *testing.T) {
		ends := step.Await(func(context.Context, int) (int, error) { runtime.Goexit(); return 0, nil })
		_, err := flow.Run(t.Context(), flow.OrElse(ends, -1), 1)
		plantest.WantCode(t, err, fault.InternalError)
	})
	t.Run("a limit around", func(t *testing.T) {
		_, err := plantest.Run(t, flow.Timeout(time.Millisecond, flow.OrElse(step.Delay[int](time.Hour), -1)), 1)
		plantest.WantCode(t, err, fault.Timeout)
	})
	t.Run("a cancel", func(t *testing.T) {
		loop, run := plantest.Start(t, flow.OrElse(step.Delay[int](time.Hour), -1), 1)
		loop.Advance(time.Millisecond)
		run.Cancel(nil)
		loop.Advance(0)
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled)
	})
	t.Run("a nil stage", func(t *testing.T) {
		if err := flow.OrElse[int](nil, 1).Err(); !errors.Is(err, fault.InvalidRequest) {
			t.Error(err)
		}
	})
	t.Run("its picture", func(t *testing.T) {
		var kinds []string
		for tree := range flow.Describe(flow.OrElse(plantest.Add(1), -1)).All() {
			kinds = append(kinds, tree.Kind)
		}
		if want := "[plan map or else]"; fmt.Sprint(kinds) != want {
			t.Errorf("got %v, want %s", kinds, want)
		}
	})
}

// A page without stock is better than none.
func ExampleOrElse() {
	const unknown = -1
	ask := step.Await(func(ctx context.Context, _ string) (int, error) {
		<-ctx.Done()
		return 0, context.Cause(ctx)
	})
	stock := flow.OrElse(flow.Timeout(time.Millisecond, ask), unknown)
	fmt.Println(flow.Run(context.Background(), stock, "teapot"))
	// Output: -1 <nil>
}
