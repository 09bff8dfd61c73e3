package flow_test

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// P6: a body completes a step of another branch. If the body also ends its own branch, that branch ends
// first; otherwise the other one does.
func TestP6BodyCompletesItsRival(t *testing.T) {
	type race = func(...step.Step[int, string]) flow.Plan[int, string]
	for _, c := range []struct {
		name string
		race race
		end  error // of the body
		more bool  // its branch has another step
		want string
		err  error
	}{
		{name: "First, success", race: flow.First[int, string], want: "body"},
		{name: "First, error", race: flow.First[int, string], end: errBad, want: "rival"},
		{name: "First, another step", race: flow.First[int, string], more: true, want: "rival"},
		{name: "Race, success", race: flow.Race[int, string], want: "body"},
		{name: "Race, error", race: flow.Race[int, string], end: errBad, err: errBad},
		{name: "Race, another step", race: flow.Race[int, string], more: true, want: "rival"},
	} {
		var rival step.Done[string]
		waits := step.New(func(as step.Scope, _ int) step.Next[string] {
			return step.Wait(as, func(done step.Done[string]) { rival = done })
		})
		body := flow.Then(step.Delay[int](time.Second), step.Func(func(step.Scope, int) (string, error) {
			if !rival.Succeed("rival") {
				t.Errorf("%s: the completion is refused", c.name)
			}
			return "body", c.end
		}))
		if c.more {
			body = flow.Then(body, step.Map(func(s string) string { return s }))
		}
		for i, p := range []flow.Plan[int, string]{c.race(waits, body), c.race(body, waits)} {
			l := tooltest.New()
			r := flow.Start(t.Context(), l, p, 1)
			l.Run()
			if got, err := r.Result(); got != c.want || !errors.Is(err, c.err) {
				t.Errorf("%s, order %d: got %q, %v, want %q, %v", c.name, i, got, err, c.want, c.err)
			}
		}
	}
}
