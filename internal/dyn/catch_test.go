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
	for name, set := range map[string]func(h *harness, s *Step){
		"waitExternal": func(_ *harness, s *Step) { s.Wait() },
		"setTimeout":   func(_ *harness, s *Step) { s.SetTimeout(time.Hour) },
		"setCancel":    func(h *harness, s *Step) { s.SetCancel(func() { h.record("hook") }) },
	} {
		h := newHarness(t)
		b := failWith("First")
		b.catch = func(s *Step, _ error) {
			s.Defer(func() { h.record("cleanup") })
			set(h, s)
			done := s.Done()
			if _, err := h.loop.Immediate(func() {
				if done.Valid() || done.Success(&Args{}) {
					t.Errorf("%s: the handler waits", name)
				}
			}); err != nil {
				t.Error(err)
			}
		}
		outer := body{
			run:   func(s *Step, _ *Args) { s.Add(b, Code{}) },
			catch: func(*Step, error) { h.record("outer") },
		}
		h.root.Top().Add(outer, Code{})
		if err := h.run(); !errors.Is(err, fault.Code("First")) {
			t.Errorf("%s: got %v", name, err)
		}
		h.want("cleanup outer")
		if _, timer := h.loop.Next(); timer {
			t.Errorf("%s: a timer is left", name)
		}
	}
}

// E2: the limit and the hook of a handler that adds steps are theirs.
func TestE2LimitAndHookOfAddedSteps(t *testing.T) {
	l := tooltest.New()
	root := NewRoot(l)
	b := failWith("First")
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
	h := newHarness(t)
	b := failWith("First")
	b.catch = func(s *Step, _ error) {
		s.Defer(func() { h.record("cleanup") })
		s.SetCancel(func() { h.record("hook") })
		s.Fail(fault.Code("Second"))
	}
	h.root.Top().Add(b, Code{})
	if err := h.run(); !errors.Is(err, fault.Code("Second")) {
		t.Errorf("got %v", err)
	}
	h.want("cleanup")
}
