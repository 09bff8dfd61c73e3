package dyn

import (
	"reflect"
	"testing"
)

func TestReleasedStepsHoldNothing(t *testing.T) {
	var d disturbedRun
	h := newHarness(t)
	h.root.Top().Sync(d.guard(), h.recordBody("inside"), Code{})
	h.root.Top().Repeat(h.recordBody("turn"), Code{}, 1, "label")
	p := h.root.Top().Parallel(body{}, Code{})
	p.Add(h.recordBody("branch"), Code{})
	home := &h.root.home
	if err := h.run(); err != nil {
		t.Fatal(err)
	}
	h.want("inside turn branch")
	if len(home.steps) == 0 {
		t.Fatal("no step was given back")
	}
	for _, s := range home.steps {
		for _, b := range s.branches[:cap(s.branches)] {
			if b != nil {
				t.Errorf("a released step still has branch %p", b)
			}
		}
		if !reflect.ValueOf(s.guard).IsZero() || s.body != nil || s.native != nil || s.label != "" || s.info != nil {
			t.Errorf("a released step still has guard %+v, body %v, typed %v, label %q, info %v", s.guard, s.body, s.native, s.label, s.info)
		}
	}
}
