package dyn

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/guard"
)

func TestOrder(t *testing.T) {
	t.Run("O1 O2 levels", func(t *testing.T) {
		h := newHarness(t)
		h.root.Top().Add(body{run: func(s *Step, _ *Args) {
			h.record("a")
			s.Add(h.recordBody("a1"), Code{})
			s.Add(h.recordBody("a2"), Code{})
		}}, Code{})
		h.root.Top().Add(h.recordBody("b"), Code{})
		if err := h.run(); err != nil {
			t.Error(err)
		}
		h.want("a a1 a2 b")
	})
	t.Run("O2 the result is the last sub-step's", func(t *testing.T) {
		h := newHarness(t)
		h.root.Top().Add(body{run: func(s *Step, _ *Args) {
			s.Add(h.recordBody("first"), Code{})
			s.Add(h.succeedWithValue(), Code{})
		}}, Code{})
		h.root.Top().Add(h.checkValue(), Code{})
		if err := h.run(); err != nil || h.released != 1 {
			t.Errorf("%v, released %d", err, h.released)
		}
	})
}

// Each case of the table breaks one rule. The next step must not run, and the step's own handler must get an InternalError.
func TestViolations(t *testing.T) {
	var nothing Args
	tests := []struct {
		name string
		run  func(h *harness, s *Step)
	}{
		{"E7 success twice", func(_ *harness, s *Step) { s.Success(&nothing); s.Success(&nothing) }},
		{"E7 success after add", func(h *harness, s *Step) { s.Add(h.recordBody("sub"), Code{}); s.Success(&nothing) }},
		{"E7 add after success", func(h *harness, s *Step) { s.Success(&nothing); s.Add(h.recordBody("sub"), Code{}) }},
		{"E7 add after error", func(h *harness, s *Step) { s.Fail(fault.Timeout); s.Add(h.recordBody("sub"), Code{}) }},
		{"E8 error after add", func(h *harness, s *Step) { s.Add(h.recordBody("sub"), Code{}); s.Fail(fault.Timeout) }},
		{"E7 error after success", func(_ *harness, s *Step) { s.Success(&nothing); s.Fail(fault.Timeout) }},
		{"L3 break outside of any loop", func(_ *harness, s *Step) { s.Leave("", false) }},
		{"L3 continue to an unknown label", func(_ *harness, s *Step) { s.Leave("NONE", true) }},
		{"E7 parallel after success", func(_ *harness, s *Step) { s.Success(&nothing); s.Parallel(body{}, Code{}) }},
		{"E7 success of a parallel step", func(h *harness, s *Step) {
			p := s.Parallel(h.recordBody("never"), Code{})
			p.Add(h.recordBody("branch"), Code{})
			p.Success(&nothing)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHarness(t)
			h.root.Top().Add(body{
				run: func(s *Step, _ *Args) { tt.run(h, s) },
				catch: func(_ *Step, err error) {
					h.record("caught")
					if !errors.Is(err, fault.InternalError) || errors.Is(err, fault.Timeout) {
						t.Errorf("got %v", err)
					}
					if !strings.Contains(fault.InfoOf(err), "step 0") {
						t.Errorf("it doesn't name the step: %v", err)
					}
				},
			}, Code{})
			h.root.Top().Add(h.recordBody("next"), Code{})
			if err := h.run(); !errors.Is(err, fault.InternalError) {
				t.Errorf("got %v", err)
			}
			h.want("caught")
		})
	}
	t.Run("C4 a timeout that isn't positive", func(t *testing.T) {
		h := newHarness(t)
		h.root.Top().Add(body{run: func(s *Step, _ *Args) { s.SetTimeout(0) }}, Code{})
		if err := h.run(); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("E7 execute while it executes", func(t *testing.T) {
		h := newHarness(t)
		again := func() {
			if err := h.root.Execute(Ended(func(error) { t.Error("called") })); !errors.Is(err, ErrTwice) {
				t.Errorf("got %v", err)
			}
		}
		h.root.Top().Add(body{run: func(*Step, *Args) { h.record("a"); again() }}, Code{})
		_, _ = h.loop.Immediate(again) // before the first step
		if err := h.run(); err != nil {
			t.Error(err)
		}
		h.want("a")
	})
	t.Run("E7 use after the end fails the step that runs", func(t *testing.T) {
		h := newHarness(t)
		h.root.Top().Success(&nothing)
		h.root.Top().Add(h.recordBody("never"), Code{})
		if err := h.run(); !errors.Is(err, fault.InternalError) {
			t.Errorf("got %v", err)
		}
		h.want("")
	})
}

func TestErrors(t *testing.T) {
	t.Run("E2 recover, replace, silence, sub-steps", func(t *testing.T) {
		h := newHarness(t)
		outer := body{
			run: func(s *Step, _ *Args) {
				b := failWith("First")
				b.catch = func(s *Step, err error) {
					h.record(err.Error())
					s.Add(failWith("Second"), Code{})
				}
				s.Add(b, Code{})
			},
			catch: func(s *Step, err error) {
				h.record(err.Error())
				a := h.value()
				s.Success(&a)
			},
		}
		h.root.Top().Add(outer, Code{})
		h.root.Top().Add(h.checkValue(), Code{})
		last := failWith("Third")
		last.catch = func(s *Step, _ error) { s.Fail(fault.Code("Fourth")) }
		h.root.Top().Add(last, Code{})
		if err := h.run(); !errors.Is(err, fault.Code("Fourth")) || h.released != 1 {
			t.Errorf("%v, released %d", err, h.released)
		}
		h.want("First Second")
	})
	t.Run("E1 S3 hook, handler, cleanups newest first", func(t *testing.T) {
		h := newHarness(t)
		h.root.Top().Add(body{
			run: func(s *Step, _ *Args) {
				s.Defer(func() { h.record("old") })
				s.Defer(func() { h.record("new") })
				s.SetCancel(func() { h.record("hook") })
				s.Add(failWith("Error"), Code{})
			},
			catch: func(*Step, error) { h.record("handler") },
		}, Code{})
		_ = h.run()
		h.want("hook handler new old")
	})
	t.Run("B1 values on the way are released once, in whatever way it ends", func(t *testing.T) {
		h := newHarness(t)
		h.root.Top().Add(h.succeedWithValue(), Code{})
		h.root.Top().Add(body{run: func(s *Step, _ *Args) {
			a := h.value()
			s.Success(&a)
			b := h.value()
			s.Success(&b) // a second success breaks a rule: both values are dropped
		}}, Code{})
		_ = h.run()
		if h.released != 3 {
			t.Errorf("released %d of 3", h.released)
		}
		h = newHarness(t)
		h.root.Top().Parallel(body{}, Code{}).Add(h.succeedWithValue(), Code{}) // P2
		h.root.Top().Add(h.succeedWithValue(), Code{})                          // the result of the run
		_ = h.run()
		if h.released != 2 {
			t.Errorf("released %d of 2", h.released)
		}
	})
}

func TestLoops(t *testing.T) {
	h := newHarness(t)
	cleanups := 0
	h.root.Top().Add(h.succeedWithValue(), Code{})
	h.root.Top().Loop(body{run: func(s *Step, in *Args) {
		if !in[0].IsZero() {
			t.Error("L4: a loop's body gets values")
		}
		s.Defer(func() { cleanups++ })
		s.Repeat(body{run: func(s *Step, _ *Args) {
			h.record(string(rune('0' + s.Index())))
			switch s.Index() {
			case 1:
				s.Leave("", true)
			case 2:
				s.Leave("OUTER", false)
			default:
				a := h.value()
				s.Success(&a)
			}
		}}, Code{}, 10, "")
	}}, Code{}, "OUTER")
	h.root.Top().Repeat(h.recordBody("never"), Code{}, 0, "")
	h.root.Top().Add(body{run: func(_ *Step, in *Args) {
		if !in[0].IsZero() {
			t.Error("L4: values leave a loop")
		}
		h.record("end")
	}}, Code{})
	if err := h.run(); err != nil {
		t.Error(err)
	}
	h.want("0 1 2 end")
	if cleanups != 1 || h.released != 2 {
		t.Errorf("L2: %d cleanups, released %d", cleanups, h.released)
	}
}

func TestParallel(t *testing.T) {
	h := newHarness(t)
	flows := map[uintptr]bool{h.root.Flow(): true}
	p := h.root.Top().Parallel(body{catch: func(s *Step, err error) {
		h.record(err.Error())
		s.Add(h.recordBody("instead"), Code{})
	}}, Code{})
	for _, name := range []string{"one", "two"} {
		p.Add(body{run: func(s *Step, _ *Args) {
			h.record(name)
			if flows[s.Flow()] {
				t.Error("B7: branches share a flow")
			}
			flows[s.Flow()] = true
			s.SetCancel(func() { h.record(name + ".hook") })
		}}, Code{})
	}
	p.Add(failWith("Branch"), Code{})
	if err := h.run(); err != nil {
		t.Error(err)
	}
	h.want("one two one.hook two.hook Branch instead") // P3
}

func TestWaits(t *testing.T) {
	t.Run("O5 C6 completion by other goroutines, before and after the code returns", func(t *testing.T) {
		h := newHarness(t)
		var early, late Done
		var wg sync.WaitGroup
		finish := func(d Done, want bool) {
			a := h.value()
			if d.Success(&a) != want {
				t.Errorf("completed: %v", !want)
			}
			_ = a.Reset()
		}
		h.root.Top().Add(body{run: func(s *Step, _ *Args) {
			s.Wait()
			early = s.Done()
			wg.Go(func() { finish(early, true); finish(early, false) })
			wg.Wait()
		}}, Code{})
		h.root.Top().Add(h.checkValue(), Code{})
		h.root.Top().Add(body{run: func(s *Step, _ *Args) {
			s.Wait()
			late = s.Done()
			_, _ = h.loop.Immediate(func() { wg.Go(func() { finish(late, true) }); wg.Wait() })
		}}, Code{})
		h.root.Top().Add(h.checkValue(), Code{})
		if err := h.run(); err != nil || h.released != 3 {
			t.Errorf("%v, released %d of 3", err, h.released)
		}
		if early.Valid() || late.Valid() || late.Fail(fault.Timeout) || (Done{}).Valid() {
			t.Error("C6: can be completed after its end")
		}
	})
	t.Run("C1 cancel", func(t *testing.T) {
		h := newHarness(t)
		h.root.Top().Add(body{
			run: func(s *Step, _ *Args) {
				s.SetTimeout(time.Hour)
				s.SetCancel(func() { h.record("hook") })
				_, _ = h.loop.Immediate(func() { h.root.Cancel(nil) })
			},
			catch: func(*Step, error) { h.record("handler") },
		}, Code{})
		if err := h.run(); !errors.Is(err, fault.Cancelled) {
			t.Errorf("got %v", err)
		}
		h.want("hook")
		if h.root.Cancel(nil) || h.root.Live() || h.root.Made() {
			t.Error("is alive after its end")
		}
	})
	t.Run("a value that came too late for the outcome is dropped", func(t *testing.T) {
		h := newHarness(t)
		h.root.Top().Add(body{run: func(s *Step, _ *Args) {
			s.Wait()
			a := h.value()
			s.Done().Success(&a)
			s.Fail(fault.Code("Mine"))
		}}, Code{})
		if err := h.run(); !errors.Is(err, fault.Code("Mine")) || h.released != 1 {
			t.Errorf("%v, released %d", err, h.released)
		}
	})
}

func TestSync(t *testing.T) {
	inside := 0
	var waiting *guard.Ticket
	g := guard.Guard{
		Key: &inside,
		Enter: func(c *guard.Ticket) (bool, error) {
			if inside > 0 {
				waiting = c
				return false, nil
			}
			inside++
			return true, nil
		},
		Leave: func(*guard.Ticket) {
			inside--
			if waiting != nil {
				inside++
				waiting.Grant()
				waiting = nil
			}
		},
		Withdraw: func(*guard.Ticket) { waiting = nil },
	}
	h := newHarness(t)
	p := h.root.Top().Parallel(body{catch: func(s *Step, _ error) { s.Success(&Args{}) }}, Code{})
	section := func(s *Step, _ *Args) {
		if inside != 1 {
			t.Errorf("%d inside", inside)
		}
		s.SetCancel(func() {})
		d := s.Done()
		_, _ = h.loop.Immediate(func() { d.Success(&Args{}) })
	}
	p.Sync(g, body{run: section}, Code{})
	p.Sync(g, body{
		run:   func(s *Step, _ *Args) { s.Fail(fault.Timeout) },
		catch: func(*Step, error) { h.record("inside" + string(rune('0'+inside))) }, // G1: the guard hasn't been left
	}, Code{})
	h.root.Top().Add(h.succeedWithValue(), Code{})
	h.root.Top().Sync(g, body{run: func(s *Step, in *Args) { h.checkValue().run(s, in); s.Success(in) }}, Code{})
	h.root.Top().Add(h.checkValue(), Code{})
	if err := h.run(); err != nil || inside != 0 || h.released != 1 {
		t.Errorf("%v, %d inside, released %d", err, inside, h.released)
	}
	h.want("inside1")
}

// A loop of any length uses the memory of one iteration.
func TestMemoryOfOneTurn(t *testing.T) {
	h := newHarness(t)
	nothing := body{run: func(*Step, *Args) {}}
	turn := body{run: func(s *Step, _ *Args) {
		for range 3 {
			s.Add(nothing, Code{})
		}
	}}
	h.root.Top().Repeat(turn, Code{}, 10_000, "")
	home := &h.root.home
	steps, levels := len(home.steps), len(home.levels) // of a root that used the memory before
	if err := h.run(); err != nil {
		t.Error(err)
	}
	if n := len(home.steps); n > max(steps+1, 8) {
		t.Errorf("%d steps were made", n)
	}
	if n := len(home.levels); n > max(levels, 4) {
		t.Errorf("%d levels were made", n)
	}
}
