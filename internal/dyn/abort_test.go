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
		run  func(r *rig, s *Step)
		want fault.Code
	}{
		{"nothing", func(*rig, *Step) {}, "Cut"},
		{"success", func(r *rig, s *Step) { s.Success(&nothing) }, "Cut"},
		{"values", func(r *rig, s *Step) { r.gives().Exec(s, &nothing) }, "Cut"},
		{"sub-steps", func(r *rig, s *Step) { s.Add(r.noting("never"), Code{}) }, "Cut"},
		{"wait", func(_ *rig, s *Step) { s.Wait() }, "Cut"},
		{"error", func(_ *rig, s *Step) { s.Fail(fault.New("Other", "")) }, "Cut"},
		{"violation", func(_ *rig, s *Step) { s.Break("rule") }, fault.InternalError},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.root.Top().Add(body{run: func(s *Step, _ *Args) { c.run(r, s); s.Abort(cut) }}, Code{})
			r.root.Top().Add(r.noting("never"), Code{})
			if err := r.run(); fault.CodeOf(err) != c.want {
				t.Error(err)
			}
			r.want("")
			if c.name == "values" && r.released != 1 {
				t.Errorf("the values were released %d times", r.released)
			}
		})
	}
}
