package step_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestMap(t *testing.T) {
	plantest.WantResult(t, step.Map(strconv.Itoa), 12, "12")
	plantest.WantFailure(t, step.Map(func(int) int { panic("boom") }), 1, fault.InternalError)
}

func TestFunc(t *testing.T) {
	parse := step.Func(func(_ step.Scope, s string) (int, error) { return strconv.Atoi(s) })
	t.Run("success", func(t *testing.T) { plantest.WantResult(t, parse, "12", 12) })
	t.Run("error: the value is dropped", func(t *testing.T) {
		e := plantest.WantFailure(t, parse, "x", fault.InternalError)
		if !errors.Is(e, strconv.ErrSyntax) {
			t.Errorf("got %v", e)
		}
		both := step.Func(func(step.Scope, int) (int, error) { return 7, errBad })
		if v, _ := plantest.Run(t, both, 1); v != 0 {
			t.Errorf("got %d", v)
		}
	})
	t.Run("O3 success whatever is set", func(t *testing.T) {
		plantest.WantResult(t, step.Func(func(as step.Scope, i int) (int, error) {
			as.SetCancel(func() { t.Error("the hook was called") })
			as.SetTimeout(time.Second) //stepvet:ignore what the test is about
			return i, nil
		}), 3, 3)
	})
}

func TestNew(t *testing.T) {
	one := step.Map(func(i int) int { return i + 1 })
	for name, c := range map[string]struct {
		body func(as step.Scope, in int) step.Next[int]
		want int
		code fault.Code
	}{
		"value":     {func(_ step.Scope, in int) step.Next[int] { return step.Succeed(in) }, 5, ""},
		"error":     {func(step.Scope, int) step.Next[int] { return step.Fail[int](errBad) }, 0, "Bad"},
		"sub-steps": {func(as step.Scope, in int) step.Next[int] { return step.Into(as, one, in) }, 6, ""},
		"error of sub-steps": {func(as step.Scope, in int) step.Next[int] {
			return step.Into(as, step.Func(func(step.Scope, int) (int, error) { return 1, errBad }), in)
		}, 0, "Bad"},
		"wait": {func(as step.Scope, in int) step.Next[int] {
			return step.Wait(as, func(done step.Done[int]) { done.Succeed(in) })
		}, 5, ""},
		"error of a wait": {func(as step.Scope, _ int) step.Next[int] {
			return step.Wait(as, func(done step.Done[int]) { done.Fail(errBad) })
		}, 0, "Bad"},
		"zero Next": {func(step.Scope, int) (n step.Next[int]) { return }, 0, ""},
		"panic":     {func(step.Scope, int) step.Next[int] { panic("boom") }, 0, fault.InternalError},
		"panic while it waits": {func(as step.Scope, _ int) step.Next[int] {
			return step.Wait(as, func(step.Done[int]) { panic("boom") })
		}, 0, fault.InternalError},
	} {
		t.Run(name, func(t *testing.T) {
			s := step.New(c.body)
			for range 2 { // the second run may use the memory of the first one
				got, err := plantest.Run(t, s, 5)
				if got != c.want || fault.CodeOf(err) != c.code {
					t.Errorf("got %d, %v, want %d, code %q", got, err, c.want, c.code)
				}
			}
		})
	}
	t.Run("each run may go on in another way", func(t *testing.T) {
		bad := step.Func(func(step.Scope, int) (int, error) { return 9, errBad })
		s := step.New(func(as step.Scope, in int) step.Next[int] {
			switch in {
			case 0:
				return step.Into(as, bad, in)
			case 1:
				return step.Into(as, one, in)
			case 2:
				return step.Wait(as, func(done step.Done[int]) { done.Succeed(20) })
			case 3:
				return step.Wait(as, func(done step.Done[int]) { done.Fail(errBad) })
			default:
				return step.Succeed(in)
			}
		})
		want := []int{0, 2, 20, 0, 4}
		for _, in := range []int{0, 2, 1, 2, 3, 2, 0, 1, 4, 3, 0, 4, 1} {
			if got, err := plantest.Run(t, s, in); got != want[in] || (in == 0 || in == 3) != errors.Is(err, errBad) {
				t.Errorf("%d gave %d, %v", in, got, err)
			}
		}
	})
	t.Run("Into an input of another type", func(t *testing.T) {
		plantest.WantResult(t, step.New(func(as step.Scope, in int) step.Next[string] {
			return step.Into(as, step.Map(func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }), float64(in)/2)
		}), 5, "2.5")
	})
}

func TestAwait(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		ctx := context.WithValue(t.Context(), key{}, 40)
		got, err := flow.Run(ctx, step.Await(func(ctx context.Context, in int) (int, error) {
			time.Sleep(time.Hour)
			return ctx.Value(key{}).(int) + in, nil
		}), 2)
		if got != 42 || err != nil {
			t.Errorf("got %d, %v", got, err)
		}
		for name, c := range map[string]struct {
			body func() (int, error)
			code fault.Code
		}{
			"error": {func() (int, error) { return 7, errBad }, "Bad"},
			"panic": {func() (int, error) { panic("boom") }, fault.InternalError},
		} {
			got, err := flow.Run(t.Context(), step.Await(func(context.Context, int) (int, error) { return c.body() }), 1)
			if got != 0 || fault.CodeOf(err) != c.code {
				t.Errorf("%s: got %d, %v", name, got, err)
			}
		}
		var cause error
		_, err = flow.Run(t.Context(), flow.Timeout(time.Minute, step.Await(func(ctx context.Context, _ int) (int, error) {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return 1, nil
		})), 1)
		if !errors.Is(err, fault.Timeout) || !errors.Is(cause, fault.Timeout) {
			t.Errorf("the timeout ended it with %v, cause %v", err, cause)
		}
	})
}

type own struct {
	step.Step[int, int]
	label string
}

func TestEmbeddedStep(t *testing.T) {
	s := own{step.Map(func(i int) int { return i + 1 }), "increment"}
	plantest.WantResult(t, flow.Then(s, flow.Chain[int](s, s)), 0, 3)
}
