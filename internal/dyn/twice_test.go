package dyn

import (
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
)

// B11: the same call twice counts as one.
func TestB11SameWordTwice(t *testing.T) {
	t.Run("an error, in a body and in a handler", func(t *testing.T) {
		h := newHarness(t)
		first := fault.New("First", "why")
		h.root.Top().Add(body{
			run: func(s *Step, _ *Args) { s.Fail(first); s.Fail(fault.New("First", "again")) },
			catch: func(s *Step, err error) {
				if fault.InfoOf(err) != "why" {
					t.Errorf("got %v", err)
				}
				s.Fail(fault.Code("Second"))
				s.Fail(fault.Code("Second"))
			},
		}, Code{})
		if err := h.run(); !errors.Is(err, fault.Code("Second")) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("break and continue", func(t *testing.T) {
		h := newHarness(t)
		turns := 0
		h.root.Top().Loop(body{run: func(s *Step, _ *Args) {
			again := turns < 2
			turns++
			s.Leave("", again)
			s.Leave("", again)
		}}, Code{}, "")
		if err := h.run(); err != nil || turns != 3 {
			t.Errorf("%v, %d turns", err, turns)
		}
	})
	for name, run := range map[string]func(*Step){
		"another error":   func(s *Step) { s.Fail(fault.Timeout); s.Fail(fault.Code("Other")) },
		"another label":   func(s *Step) { s.Leave("A", false); s.Leave("B", false) },
		"another way":     func(s *Step) { s.Leave("A", false); s.Leave("A", true) },
		"error and break": func(s *Step) { s.Fail(fault.Timeout); s.Leave("A", false) },
		"break and error": func(s *Step) { s.Leave("A", false); s.Fail(fault.Timeout) },
		"after sub-steps": func(s *Step) { s.Add(body{}, Code{}); s.Fail(fault.Timeout); s.Fail(fault.Timeout) },
		"break, no turn":  func(s *Step) { s.Success(&Args{}); s.Leave("A", false) },
	} {
		t.Run(name+" is a violation", func(t *testing.T) {
			h := newHarness(t)
			h.root.Top().Loop(body{run: func(s *Step, _ *Args) {
				s.Add(body{run: func(s *Step, _ *Args) { run(s) }}, Code{})
			}}, Code{}, "A")
			if err := h.run(); !errors.Is(err, fault.InternalError) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// B11: in the body of a loop a break or continue after a success decides. A break of that loop keeps the values of the
// success.
func TestB11SuccessThenBreak(t *testing.T) {
	t.Run("of this loop", func(t *testing.T) {
		h := newHarness(t)
		h.root.Top().Loop(body{run: func(s *Step, _ *Args) {
			a := h.value()
			s.Success(&a)
			s.Leave("", false)
			s.Leave("", false)
		}}, Code{}, "")
		h.root.Top().Add(h.checkValue(), Code{})
		if err := h.run(); err != nil || h.released != 1 {
			t.Errorf("%v, released %d", err, h.released)
		}
	})
	t.Run("values of a continue, and of a break further out, are dropped", func(t *testing.T) {
		h := newHarness(t)
		turns := 0
		h.root.Top().Loop(body{run: func(s *Step, _ *Args) {
			s.Loop(body{run: func(s *Step, _ *Args) {
				a := h.value()
				s.Success(&a)
				if turns++; turns < 3 {
					s.Leave("", true)
				} else {
					s.Leave("OUTER", false)
				}
			}}, Code{}, "")
		}}, Code{}, "OUTER")
		h.root.Top().Add(body{run: func(_ *Step, in *Args) {
			if *in != [4]binval.Value{} {
				t.Error("the loop has a result")
			}
		}}, Code{})
		if err := h.run(); err != nil || turns != 3 || h.released != 3 {
			t.Errorf("%v, %d turns, released %d", err, turns, h.released)
		}
	})
}
