package dyn

import (
	"errors"
	"sync"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
)

// A wait can be completed once, on the loop by a callback or by the step's own code, and by another goroutine.
func TestDone(t *testing.T) {
	values := func() (a Args) {
		a[0] = binval.FromNumber(int32(7))
		return a
	}
	complete := func(t *testing.T, d Done, err error) {
		a, late := values(), values()
		var first bool
		if err == nil {
			first = d.Success(&a)
		} else {
			first = d.Fail(err)
		}
		if !first || d.Valid() || d.Success(&late) || d.Fail(err) || late[0] != values()[0] {
			t.Error("completed not once")
		}
	}
	for name, place := range map[string]func(h *harness, do func()){
		"in the step's code": func(_ *harness, do func()) { do() },
		"in a callback":      func(h *harness, do func()) { _, _ = h.loop.Immediate(do) },
		"elsewhere": func(_ *harness, do func()) {
			over := make(chan struct{})
			go func() { defer close(over); do() }()
			<-over
		},
	} {
		for _, want := range []error{nil, fault.Code("Own")} {
			t.Run(name, func(t *testing.T) {
				h := newHarness(t)
				var got Args
				h.root.Top().Add(body{run: func(s *Step, _ *Args) {
					s.Wait()
					d := s.Done()
					place(h, func() { complete(t, d, want) })
				}}, Code{})
				h.root.Top().Add(body{run: func(_ *Step, in *Args) { got = in.Take() }}, Code{})
				if err := h.run(); !errors.Is(err, want) || want == nil && got[0] != values()[0] {
					t.Errorf("%v, got %v", err, got)
				}
			})
		}
	}
	if (Done{}).Success(&Args{}) || (Done{}).Fail(fault.Timeout) || (Done{}).Valid() {
		t.Error("the zero Done completes something")
	}
}

// O5: a run that begins at once, in memory that another one has used, is woken by goroutines like any other.
func TestBeginInUsedMemory(t *testing.T) {
	for range 3 {
		h := newHarness(t)
		var done Done
		h.root.Top().Add(body{run: func(s *Step, _ *Args) {
			s.Wait()
			done = s.Done()
		}}, Code{})
		if err := h.root.Begin(Ended(func(err error) { h.ends++; h.err = err })); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() { done.Success(new(Args)) })
		wg.Wait()
		for h.loop.Iterate() {
		}
		if h.ends != 1 || h.err != nil {
			t.Fatalf("ended %d times, with %v", h.ends, h.err)
		}
	}
}

// B13: break and continue from outside end a wait as if the step had said them; outside of a wait they are void.
func TestB13LateLeave(t *testing.T) {
	for name, place := range map[string]func(h *harness, do func()){
		"in the step's code": func(_ *harness, do func()) { do() },
		"in a callback":      func(h *harness, do func()) { _, _ = h.loop.Immediate(do) },
		"elsewhere": func(_ *harness, do func()) {
			over := make(chan struct{})
			go func() { defer close(over); do() }()
			<-over
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			turns := 0
			h.root.Top().Loop(body{run: func(s *Step, _ *Args) {
				s.Loop(body{run: func(s *Step, _ *Args) {
					turns++
					s.Add(body{
						run: func(s *Step, _ *Args) {
							s.SetCancel(func() { h.record("hook") })
							d, again := s.Done(), turns < 3
							place(h, func() {
								if !d.Leave("OUTER", again) || d.Leave("OUTER", again) || d.Valid() {
									t.Error("completed not once")
								}
							})
						},
						catch: func(_ *Step, err error) { t.Errorf("a handler is asked: %v", err) },
					}, Code{})
					s.Add(h.recordBody("never"), Code{})
				}}, Code{}, "")
			}}, Code{}, "OUTER")
			if err := h.run(); err != nil || turns != 3 {
				t.Errorf("%v, %d turns", err, turns)
			}
			h.want("hook hook hook")
		})
	}
	t.Run("without such a loop", func(t *testing.T) {
		h := newHarness(t)
		h.root.Top().Loop(body{run: func(s *Step, _ *Args) {
			s.Wait()
			s.Done().Leave("NOWHERE", false)
		}}, Code{}, "HERE")
		if err := h.run(); !errors.Is(err, fault.InternalError) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the body has decided otherwise", func(t *testing.T) {
		h := newHarness(t)
		h.root.Top().Loop(body{run: func(s *Step, _ *Args) {
			s.Wait()
			s.Done().Leave("", true)
			s.Leave("", false)
		}}, Code{}, "")
		if err := h.run(); err != nil {
			t.Error(err)
		}
	})
	if (Done{}).Leave("", false) {
		t.Error("the zero Done completes something")
	}
}
