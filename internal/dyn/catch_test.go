package dyn

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// E2: what a handler sets without adding steps is void, so it doesn't wait: the error goes on outwards, the limit and the
// hook are dropped, and a completion from outside comes too late. Cleanups are called.
func TestE2HandlerThatOnlyWaits(t *testing.T) {
	for name, set := range map[string]func(r *rig, s *Step){
		"waitExternal": func(_ *rig, s *Step) { s.Wait() },
		"setTimeout":   func(_ *rig, s *Step) { s.SetTimeout(time.Hour) },
		"setCancel":    func(r *rig, s *Step) { s.SetCancel(func() { r.note("hook") }) },
	} {
		r := newRig(t)
		b := fails("First")
		b.catch = func(s *Step, _ error) {
			s.Defer(func() { r.note("cleanup") })
			set(r, s)
			done := s.Done()
			if _, err := r.loop.Immediate(func() {
				if done.Valid() || done.Success(&Args{}) {
					t.Errorf("%s: the handler waits", name)
				}
			}); err != nil {
				t.Error(err)
			}
		}
		outer := body{
			run:   func(s *Step, _ *Args) { s.Add(b, Code{}) },
			catch: func(*Step, error) { r.note("outer") },
		}
		r.root.Top().Add(outer, Code{})
		if err := r.run(); !errors.Is(err, fault.Code("First")) {
			t.Errorf("%s: got %v", name, err)
		}
		r.want("cleanup outer")
		if _, timer := r.loop.Next(); timer {
			t.Errorf("%s: a timer is left", name)
		}
	}
}

// E2: the limit and the hook of a handler that adds steps are theirs.
func TestE2LimitAndHookOfAddedSteps(t *testing.T) {
	l := tooltest.New()
	root := NewRoot(l)
	b := fails("First")
	hooks := 0
	b.catch = func(s *Step, _ error) {
		s.SetTimeout(time.Second)
		s.SetCancel(func() { hooks++ })
		s.Add(body{run: func(s *Step, _ *Args) { s.Wait() }}, Code{})
	}
	root.Top().Add(b, Code{})
	var ended error
	if err := root.Execute(Ended(func(err error) { ended = err })); err != nil {
		t.Fatal(err)
	}
	l.Run()
	if !errors.Is(ended, fault.Timeout) || hooks != 1 {
		t.Errorf("ended with %v, the hook was called %d times", ended, hooks)
	}
}

// E1, E2: what a handler has installed before it fails is taken back: the hook is void, the cleanups are called.
func TestHandlerThatFailsIsLeft(t *testing.T) {
	r := newRig(t)
	b := fails("First")
	b.catch = func(s *Step, _ error) {
		s.Defer(func() { r.note("cleanup") })
		s.SetCancel(func() { r.note("hook") })
		s.Fail(fault.Code("Second"))
	}
	r.root.Top().Add(b, Code{})
	if err := r.run(); !errors.Is(err, fault.Code("Second")) {
		t.Errorf("got %v", err)
	}
	r.want("cleanup")
}
