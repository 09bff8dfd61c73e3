package observe_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestP6Winners(t *testing.T) {
	after := func(d time.Duration) step.Step[int, int] { return step.Delay[int](d) }
	sour := step.Func(func(step.Scope, int) (int, error) { return 0, errors.New("sour") })
	first := func(p flow.Plan[int, []int]) flow.Plan[int, int] {
		return flow.Then(p, step.Map(func(vs []int) int { return vs[0] }))
	}
	mend := func(step.Scope, error) step.Next[int] { return step.Succeed(7) }
	leave := step.New(func(step.Scope, int) step.Next[int] { return loopx.Break[int]() })
	for _, tt := range []struct {
		reason string
		plan   flow.Plan[int, int]
		want   []string
	}{
		{"first", flow.First(after(3), after(1), after(2)), []string{"0 [1]"}},
		{"first, after an error", flow.First(sour, after(1)), []string{"0 [1]"}},
		{"race", flow.Race(after(1), after(2)), []string{"0 [0]"}},
		{"some", first(flow.Some(2, after(3), after(1), after(2))), []string{"0 [1 2]"}},
		{"hedge that isn't needed", flow.Hedge(2, after(1), after(1)), []string{"0 [0]"}},
		{"hedge that is", flow.Hedge(2, after(9), after(1)), []string{"0 [1]"}},
		{"with a handler", flow.Catch(flow.First(after(2), after(1)), mend), []string{"0 [1]"}},
		{"recovered", flow.Catch(flow.First(sour, sour), mend), nil},
		{"after a race that was won", flow.Then(flow.First(after(2), after(1)), flow.Catch(flow.First(sour, sour), mend)), []string{"0 [1]"}},
		{"left by a break", loopx.Loop(flow.First(after(2), leave)), nil},
		{"a handler, but no race", flow.Catch(after(1), mend), nil},
		{"no race", first(flow.Par(after(1), after(2))), nil},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			var got []string
			watcher := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
				return ctx, func(e observe.Event) {
					if won := e.Winners(); won != nil {
						got = append(got, fmt.Sprint(e.Path(), " ", won))
					}
				}
			})
			l := tooltest.New()
			run := flow.Start(observe.With(t.Context(), watcher), l, tt.plan, 1)
			l.Run()
			if _, err := run.Result(); err != nil {
				t.Fatal(err)
			}
			if errs := l.Errors(); len(errs) != 0 {
				t.Errorf("reported: %v", errs)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
