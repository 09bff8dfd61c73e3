package loopx_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// P5: if a break ends a sibling that is failing, the sibling's error is dropped and not reported.
// A defect is reported once.
func TestP5ReportedOfSiblings(t *testing.T) {
	fails := flow.Then(step.Delay[int](time.Second), step.Func(func(step.Scope, int) (int, error) { return 0, errTurn }))
	// slow returns half a second after its context has ended
	slow := step.Await(func(ctx context.Context, _ int) (int, error) {
		<-ctx.Done()
		time.Sleep(time.Second / 2)
		return 0, context.Cause(ctx)
	})
	panics := step.Func(func(step.Scope, int) (int, error) { panic("body") })
	first := func(all flow.Plan[int, []int]) step.Step[int, int] {
		return flow.Then(all, step.Map(func(out []int) int { return out[0] }))
	}
	var waiting step.Done[int]
	waits := step.New(func(as step.Scope, _ int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) { waiting = done })
	})
	for _, c := range []struct {
		name    string
		sibling step.Step[int, int]
		want    string // what is reported; "" for nothing
		with    error  // with which waits fails just before the break; nil for errTurn
	}{
		{"waits", step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) }), "", nil},
		{"goroutine that stops", slow, "", nil},
		{"goroutine whose context ends it", step.Await(func(ctx context.Context, _ int) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		}), "", nil},
		{"wait that fails just before", waits, "", nil},
		{"wait that fails just before with a panic", waits, "body", fault.Wrap(fault.InternalError, "", &fault.Panic{Value: "body"})},
		{"limit that has passed and waits for a goroutine", flow.Timeout(time.Second, slow), "", nil},
		{"limit that a handler would have answered", flow.Catch(flow.Timeout(time.Second, slow),
			func(step.Scope, error) step.Next[int] { return step.Succeed(0) }), "", nil},
		{"branch that has failed, whose sibling is left", first(flow.Par(fails, slow)), "", nil},
		{"branches that have failed both", first(flow.Par(fails, flow.Timeout(time.Second, slow), slow)), "", nil},
		{"branch that has panicked, whose sibling is left", first(flow.Par(flow.Then(step.Delay[int](time.Second), panics), slow)), "body", nil},
		{"branches that have panicked and passed their limit", first(flow.Par(flow.Then(step.Delay[int](time.Second), panics), flow.Timeout(time.Second, slow), slow)), "body", nil},
		{"hook that panics", flow.OnCancel(slow, func(step.Scope) { panic("hook") }), "hook", nil},
		{"cleanup that panics", step.New(func(as step.Scope, _ int) step.Next[int] {
			step.StackCleanup(as, func(*int) { panic("cleanup") })
			return step.Wait[int](as, nil)
		}), "cleanup", nil},
		{"hook that breaks a rule", flow.OnCancel(slow, plantest.BreakRule), plantest.BrokenRule, nil},
		{"goroutine that doesn't stop", step.Await(func(context.Context, int) (int, error) {
			time.Sleep(time.Minute)
			return 0, nil
		}), "left a goroutine behind", nil},
	} {
		breaks := flow.Then(step.Delay[int](5*time.Second/4), step.New(func(step.Scope, int) step.Next[int] {
			if c.with == nil {
				c.with = errTurn
			}
			waiting.Fail(c.with)
			return loopx.Break[int]()
		}))
		for order, all := range map[string]flow.Plan[int, []int]{
			"before": flow.Par(c.sibling, breaks), "after": flow.Par(breaks, c.sibling),
		} {
			t.Run(c.name+", "+order, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var mu sync.Mutex
					var errs []error
					loop := tool.Start(tool.Options{OnError: func(err error) {
						mu.Lock()
						defer mu.Unlock()
						errs = append(errs, err)
					}})
					if out, err := flow.Start(t.Context(), loop, loopx.Loop(first(all)), 7).Wait(t.Context()); out != 7 || err != nil {
						t.Errorf("the loop has ended with %d, %v", out, err)
					}
					time.Sleep(time.Hour) // until the goroutine that was left behind returns
					if err := loop.Shutdown(context.Background()); err != nil {
						t.Error(err)
					}
					switch {
					case c.want == "" && len(errs) > 0:
						t.Errorf("reported: %v", errs)
					case c.want != "" && (len(errs) != 1 || !errors.Is(errs[0], fault.InternalError) && !errors.Is(errs[0], fault.InvalidRequest) ||
						!strings.Contains(errs[0].Error(), c.want)):
						t.Errorf("reported: %v, want one error with %q", errs, c.want)
					}
				})
			})
		}
	}
}
