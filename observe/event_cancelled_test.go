package observe_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestCancelledSteps(t *testing.T) {
	wait := flow.Named("wait", step.Delay[int](time.Second))
	fail := flow.Named("fail", step.Func(func(step.Scope, int) (int, error) { return 0, errors.New("sour") }))
	crash := flow.Named("crash", step.Func(func(step.Scope, int) (int, error) { panic("no") }))
	leave := flow.Named("leave", step.New(func(step.Scope, int) step.Next[int] { return loopx.Break[int]() }))
	sum := step.Map(func(all []int) int { return len(all) })
	release := step.Func(func(step.Scope, flow.Ended[int, int]) (int, error) { return 0, errors.New("bitter") })
	outer := func(s step.Step[int, int]) flow.Plan[int, int] { return flow.Named("outer", flow.Call(s)) }
	mend := func(step.Scope, error) step.Next[int] { return step.Succeed(7) }

	for _, tt := range []struct {
		reason string
		plan   step.Step[int, int]
		cancel bool
		want   []string
	}{
		{"success", outer(wait), false, nil},
		{"an error", outer(fail), false, []string{"fail failed", "outer failed"}},
		{"a panic", outer(crash), false, []string{"crash failed", "outer failed"}},
		{"an error that is recovered", flow.Catch(outer(fail), mend), false, []string{"fail failed"}},
		{"a break", loopx.Loop(outer(leave)), false, nil},
		{"a cancel of the run", outer(wait), true, []string{"wait cancelled", "outer cancelled"}},
		{"a limit", outer(flow.Timeout(time.Millisecond, outer(wait))), false, []string{"wait cancelled", "outer cancelled", "timeout failed", "outer failed"}},
		{"a branch that fails", flow.Then(flow.Par(outer(wait), fail), sum), false, []string{"fail failed", "wait cancelled", "outer cancelled", "par failed"}},
		{"a race that is won", flow.First(outer(wait), step.Delay[int](time.Millisecond)), false, []string{"wait cancelled", "outer cancelled"}},
		{
			"a release that fails after a cancel", outer(flow.Bracket(step.Map(func(n int) int { return n }), wait, flow.Named("release", release))), true,
			[]string{"wait cancelled", "release failed", "bracket cancelled", "outer cancelled"},
		},
		{"a shield that ends", outer(flow.Shield(wait)), true, []string{"shield cancelled", "outer cancelled"}},
		{
			"a grace that passes", flow.Grace(time.Millisecond, flow.Shield(wait)), true,
			[]string{"wait cancelled", "shield cancelled", "grace cancelled"},
		},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			var got []string
			watcher := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
				return ctx, func(e observe.Event) {
					switch {
					case e.Cancelled():
						got = append(got, e.Label()+" cancelled")
					case e.Kind == observe.StepEnd && e.Err != nil:
						got = append(got, e.Label()+" failed")
					}
				}
			})
			l := tooltest.New()
			run := flow.Start(observe.With(t.Context(), watcher), l, tt.plan, 1)
			l.Advance(0)
			if tt.cancel {
				run.Cancel(nil)
			}
			l.Run()
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
