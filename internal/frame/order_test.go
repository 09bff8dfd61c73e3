package frame

import "testing"

// P1: fibers that were set aside go in the order in which they have arrived. One that is set aside again before it has
// begun its step, because something was posted, keeps its place; a lane that has taken something else doesn't.
func TestFibersArrive(t *testing.T) {
	r := new(Run)
	var all [3]Fiber
	inst := new(Activation)
	for i := range all {
		all[i].fork = &Fork{owner: new(Fiber)}
		all[i].start(r, level(inst, does(nil)))
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
	a.top.Take(&Activation{root: *level(inst, does(nil))})
	if r.signal.Load() != holding {
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

func index(all []Fiber, s *Fiber) int {
	for i := range all {
		if s == &all[i] {
			return i
		}
	}
	return -1
}
