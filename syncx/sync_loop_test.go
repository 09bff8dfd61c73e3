package syncx_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// L1, G1: a break or continue leaves the section, and no handler gets it.
func TestSyncInLoop(t *testing.T) {
	for _, c := range []struct {
		name string
		next func() step.Next[string]
		want string
	}{
		{"success", func() step.Next[string] { return step.Succeed("a") }, "enter leave enter leave after"},
		{"continue", loopx.Continue[string], "enter leave enter leave after"},
		{"break", loopx.Break[string], "enter leave after"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t)
			m := syncx.NewMutex(1, 0)
			body := step.New(func(step.Scope, string) step.Next[string] { return c.next() })
			section := h.recordError("outer", syncx.Sync(&recordingGuard{m, h}, h.recordError("inner", body)))
			turn := flow.Then(step.Map(func(loopx.Iteration[string]) string { return "a" }), section)
			a := h.start("a", flow.Then(loopx.Repeat(2, turn), h.mark("after")))
			h.Run()
			h.WantEvents(c.want)
			if _, err := a.Result(); err != nil {
				t.Error(err)
			}
			wantStats(t, m, 0, 0)
		})
	}
	t.Run("a loop inside of a section is one entry", func(t *testing.T) {
		h := newHarness(t)
		m := syncx.NewMutex(1, 0)
		turn := flow.Then(step.Map(func(loopx.Iteration[string]) string { return "a" }), syncx.Sync(m, h.mark("turn")))
		h.start("a", syncx.Sync(&recordingGuard{m, h}, loopx.Repeat(3, turn)))
		h.Run()
		h.WantEvents("enter turn turn turn leave")
		wantStats(t, m, 0, 0)
	})
}
