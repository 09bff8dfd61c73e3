package dyn

import (
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

// Abort replaces what the code has asked for, but not a broken rule.
func TestAbort(t *testing.T) {
	cut := fault.New("Cut", "")
	var nothing Args
	for _, c := range []struct {
		name string
		run  func(h *harness, s *Step)
		want fault.Code
	}{
		{"nothing", func(*harness, *Step) {}, "Cut"},
		{"success", func(h *harness, s *Step) { s.Success(&nothing) }, "Cut"},
		{"values", func(h *harness, s *Step) { h.succeedWithValue().Exec(s, &nothing) }, "Cut"},
		{"sub-steps", func(h *harness, s *Step) { s.Add(h.recordBody("never"), Code{}) }, "Cut"},
		{"wait", func(_ *harness, s *Step) { s.Wait() }, "Cut"},
		{"error", func(_ *harness, s *Step) { s.Fail(fault.New("Other", "")) }, "Cut"},
		{"violation", func(_ *harness, s *Step) { s.Break("rule") }, fault.InternalError},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t)
			h.root.Top().Add(body{run: func(s *Step, _ *Args) { c.run(h, s); s.Abort(cut) }}, Code{})
			h.root.Top().Add(h.recordBody("never"), Code{})
			if err := h.run(); fault.CodeOf(err) != c.want {
				t.Error(err)
			}
			h.want("")
			if c.name == "values" && h.released != 1 {
				t.Errorf("the values were released %d times", h.released)
			}
		})
	}
}
