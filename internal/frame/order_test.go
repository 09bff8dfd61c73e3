package frame

import "testing"

// P1: fibers that were set aside go in the order in which they have arrived. One that is set aside again before it has
// begun its step keeps its place; a lane that has taken something else doesn't.
func TestFibersArrive(t *testing.T) {
	r := new(Run)
	var all [3]Fiber
	inst := new(Activation)
	for i := range all {
		all[i].fork = &Fork{holder: &Fiber{top: level(inst, execOp(nil))}}
		all[i].start(r, level(inst, execOp(nil)))
		all[i].course = leaving // it comes from a step that has succeeded
	}
	a, b, c := &all[0], &all[1], &all[2]
	goes := func(want *Fiber) {
		t.Helper()
		if got := r.takeSetAside(); got != want {
			t.Errorf("fiber %d goes, want %d", index(all[:], got), index(all[:], want))
		}
	}
	for _, s := range []*Fiber{a, b} {
		r.next = s
		r.setAside()
	}
	goes(a)
	r.next = a
	r.setAside()
	r.ready.push(c) // was never set aside
	goes(a)

	r.next = a
	a.top.Take(&Activation{root: *level(inst, execOp(nil))})
	if r.alert.Load() != holding {
		t.Error("what a has taken may begin before what b has")
	}
	r.unhold()
	r.setAside()
	goes(b)
	r.next = b
	b.top.pc++ // its last step has succeeded
	goes(nil)
	r.next = nil
	goes(a)
	if r.ready.head != c || r.ready.tail != c {
		t.Error("c has lost its place")
	}
}

// O4: a fiber keeps its place if it has just left a step and others are about to leave one, or were set aside before it.
func TestFiberArrivesAmongOthers(t *testing.T) {
	inst := new(Activation)
	for _, c := range []struct {
		from, other course // the fiber has left a step on from; courses: there is no other
		want        bool
	}{
		{leaving, leaving, true},
		{leaving, undoing, true},
		{leaving, arrived, true},
		{undoing, leaving, true},
		{leaving, onward, false},
		{leaving, courses, false},
		{onward, leaving, false},
		{arrived, leaving, false},
	} {
		r := &Run{life: life{ordered: true}}
		var s, other Fiber
		for _, b := range []*Fiber{&s, &other} {
			b.fork = &Fork{holder: &Fiber{top: level(inst, execOp(nil))}}
			b.start(r, level(inst, execOp(nil)))
		}
		switch c.other {
		case leaving:
			other.resume = true
		case undoing:
			other.mode = raising
		case arrived:
			r.next = &other
			r.setAside()
		}
		if c.other != courses {
			r.ready.push(&other)
		}
		s.course = c.from
		if got := r.arrives(&s); got != c.want {
			t.Errorf("from course %d, among one on %d: %t", c.from, c.other, got)
		}
	}
}

func index(all []Fiber, s *Fiber) int {
	for i := range all {
		if s == &all[i] {
			return i
		}
	}
	return -1
}
