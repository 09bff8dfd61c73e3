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
		r := newRig(t)
		r.root.Top().Add(body{run: func(s *Step, _ *Args) {
			r.note("a")
			s.Add(r.noting("a1"), Code{})
			s.Add(r.noting("a2"), Code{})
		}}, Code{})
		r.root.Top().Add(r.noting("b"), Code{})
		if err := r.run(); err != nil {
			t.Error(err)
		}
		r.want("a a1 a2 b")
	})
	t.Run("O2 the result is the last sub-step's", func(t *testing.T) {
		r := newRig(t)
		r.root.Top().Add(body{run: func(s *Step, _ *Args) {
			s.Add(r.noting("first"), Code{})
			s.Add(r.gives(), Code{})
		}}, Code{})
		r.root.Top().Add(r.takes(), Code{})
		if err := r.run(); err != nil || r.released != 1 {
			t.Errorf("%v, released %d", err, r.released)
		}
	})
}

// Each case breaks one rule. The next step must not run, and the step's own handler must get an InternalError.
func TestViolations(t *testing.T) {
	var nothing Args
	tests := []struct {
		name string
		run  func(r *rig, s *Step)
	}{
		{"E7 success twice", func(_ *rig, s *Step) { s.Success(&nothing); s.Success(&nothing) }},
		{"E7 success after add", func(r *rig, s *Step) { s.Add(r.noting("sub"), Code{}); s.Success(&nothing) }},
		{"E7 add after success", func(r *rig, s *Step) { s.Success(&nothing); s.Add(r.noting("sub"), Code{}) }},
		{"E7 add after error", func(r *rig, s *Step) { s.Fail(fault.Timeout); s.Add(r.noting("sub"), Code{}) }},
		{"E8 error after add", func(r *rig, s *Step) { s.Add(r.noting("sub"), Code{}); s.Fail(fault.Timeout) }},
		{"E7 error after success", func(_ *rig, s *Step) { s.Success(&nothing); s.Fail(fault.Timeout) }},
		{"L3 break outside of any loop", func(_ *rig, s *Step) { s.Leave("", false) }},
		{"L3 continue to an unknown label", func(_ *rig, s *Step) { s.Leave("NONE", true) }},
		{"E7 parallel after success", func(_ *rig, s *Step) { s.Success(&nothing); s.Parallel(body{}, Code{}) }},
		{"E7 success of a parallel step", func(r *rig, s *Step) {
			p := s.Parallel(r.noting("never"), Code{})
			p.Add(r.noting("branch"), Code{})
			p.Success(&nothing)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.root.Top().Add(body{
				run: func(s *Step, _ *Args) { tt.run(r, s) },
				catch: func(_ *Step, err error) {
					r.note("caught")
					if !errors.Is(err, fault.InternalError) || errors.Is(err, fault.Timeout) {
						t.Errorf("got %v", err)
					}
					if !strings.Contains(fault.InfoOf(err), "step 0") {
						t.Errorf("it doesn't name the step: %v", err)
					}
				},
			}, Code{})
			r.root.Top().Add(r.noting("next"), Code{})
			if err := r.run(); !errors.Is(err, fault.InternalError) {
				t.Errorf("got %v", err)
			}
			r.want("caught")
		})
	}
	t.Run("C4 a timeout that isn't positive", func(t *testing.T) {
		r := newRig(t)
		r.root.Top().Add(body{run: func(s *Step, _ *Args) { s.SetTimeout(0) }}, Code{})
		if err := r.run(); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("E7 execute while it executes", func(t *testing.T) {
		r := newRig(t)
		again := func() {
			if err := r.root.Execute(Ended(func(error) { t.Error("called") })); !errors.Is(err, ErrTwice) {
				t.Errorf("got %v", err)
			}
		}
		r.root.Top().Add(body{run: func(*Step, *Args) { r.note("a"); again() }}, Code{})
		_, _ = r.loop.Immediate(again) // before the first step
		if err := r.run(); err != nil {
			t.Error(err)
		}
		r.want("a")
	})
	t.Run("E7 use after the end fails the step that runs", func(t *testing.T) {
		r := newRig(t)
		r.root.Top().Success(&nothing)
		r.root.Top().Add(r.noting("never"), Code{})
		if err := r.run(); !errors.Is(err, fault.InternalError) {
			t.Errorf("got %v", err)
		}
		r.want("")
	})
}

func TestErrors(t *testing.T) {
	t.Run("E2 recover, replace, silence, sub-steps", func(t *testing.T) {
		r := newRig(t)
		outer := body{
			run: func(s *Step, _ *Args) {
				b := fails("First")
				b.catch = func(s *Step, err error) {
					r.note(err.Error())
					s.Add(fails("Second"), Code{})
				}
				s.Add(b, Code{})
			},
			catch: func(s *Step, err error) {
				r.note(err.Error())
				a := r.value()
				s.Success(&a)
			},
		}
		r.root.Top().Add(outer, Code{})
		r.root.Top().Add(r.takes(), Code{})
		last := fails("Third")
		last.catch = func(s *Step, _ error) { s.Fail(fault.Code("Fourth")) }
		r.root.Top().Add(last, Code{})
		if err := r.run(); !errors.Is(err, fault.Code("Fourth")) || r.released != 1 {
			t.Errorf("%v, released %d", err, r.released)
		}
		r.want("First Second")
	})
	t.Run("E1 S3 hook, handler, cleanups newest first", func(t *testing.T) {
		r := newRig(t)
		r.root.Top().Add(body{
			run: func(s *Step, _ *Args) {
				s.Defer(func() { r.note("old") })
				s.Defer(func() { r.note("new") })
				s.SetCancel(func() { r.note("hook") })
				s.Add(fails("Error"), Code{})
			},
			catch: func(*Step, error) { r.note("handler") },
		}, Code{})
		_ = r.run()
		r.want("hook handler new old")
	})
	t.Run("B1 values on the way are released once, in whatever way it ends", func(t *testing.T) {
		r := newRig(t)
		r.root.Top().Add(r.gives(), Code{})
		r.root.Top().Add(body{run: func(s *Step, _ *Args) {
			a := r.value()
			s.Success(&a)
			b := r.value()
			s.Success(&b) // a second success breaks a rule: both values are dropped
		}}, Code{})
		_ = r.run()
		if r.released != 3 {
			t.Errorf("released %d of 3", r.released)
		}
		r = newRig(t)
		r.root.Top().Parallel(body{}, Code{}).Add(r.gives(), Code{}) // P2
		r.root.Top().Add(r.gives(), Code{})                          // the result of the run
		_ = r.run()
		if r.released != 2 {
			t.Errorf("released %d of 2", r.released)
		}
	})
}

func TestLoops(t *testing.T) {
	r := newRig(t)
	cleanups := 0
	r.root.Top().Add(r.gives(), Code{})
	r.root.Top().Loop(body{run: func(s *Step, in *Args) {
		if !in[0].IsZero() {
			t.Error("L4: a loop's body gets values")
		}
		s.Defer(func() { cleanups++ })
		s.Repeat(body{run: func(s *Step, _ *Args) {
			r.note(string(rune('0' + s.Index())))
			switch s.Index() {
			case 1:
				s.Leave("", true)
			case 2:
				s.Leave("OUTER", false)
			default:
				a := r.value()
				s.Success(&a)
			}
		}}, Code{}, 10, "")
	}}, Code{}, "OUTER")
	r.root.Top().Repeat(r.noting("never"), Code{}, 0, "")
	r.root.Top().Add(body{run: func(_ *Step, in *Args) {
		if !in[0].IsZero() {
			t.Error("L4: values leave a loop")
		}
		r.note("end")
	}}, Code{})
	if err := r.run(); err != nil {
		t.Error(err)
	}
	r.want("0 1 2 end")
	if cleanups != 1 || r.released != 2 {
		t.Errorf("L2: %d cleanups, released %d", cleanups, r.released)
	}
}

func TestParallel(t *testing.T) {
	r := newRig(t)
	flows := map[uintptr]bool{r.root.Flow(): true}
	p := r.root.Top().Parallel(body{catch: func(s *Step, err error) {
		r.note(err.Error())
		s.Add(r.noting("instead"), Code{})
	}}, Code{})
	for _, name := range []string{"one", "two"} {
		p.Add(body{run: func(s *Step, _ *Args) {
			r.note(name)
			if flows[s.Flow()] {
				t.Error("B7: branches share a flow")
			}
			flows[s.Flow()] = true
			s.SetCancel(func() { r.note(name + ".hook") })
		}}, Code{})
	}
	p.Add(fails("Branch"), Code{})
	if err := r.run(); err != nil {
		t.Error(err)
	}
	r.want("one two one.hook two.hook Branch instead") // P3
}

func TestWaits(t *testing.T) {
	t.Run("O5 C6 completion by other goroutines, before and after the code returns", func(t *testing.T) {
		r := newRig(t)
		var early, late Done
		var wg sync.WaitGroup
		finish := func(d Done, want bool) {
			a := r.value()
			if d.Success(&a) != want {
				t.Errorf("completed: %v", !want)
			}
			_ = a.Reset()
		}
		r.root.Top().Add(body{run: func(s *Step, _ *Args) {
			s.Wait()
			early = s.Done()
			wg.Go(func() { finish(early, true); finish(early, false) })
			wg.Wait()
		}}, Code{})
		r.root.Top().Add(r.takes(), Code{})
		r.root.Top().Add(body{run: func(s *Step, _ *Args) {
			s.Wait()
			late = s.Done()
			_, _ = r.loop.Immediate(func() { wg.Go(func() { finish(late, true) }); wg.Wait() })
		}}, Code{})
		r.root.Top().Add(r.takes(), Code{})
		if err := r.run(); err != nil || r.released != 3 {
			t.Errorf("%v, released %d of 3", err, r.released)
		}
		if early.Valid() || late.Valid() || late.Fail(fault.Timeout) || (Done{}).Valid() {
			t.Error("C6: can be completed after its end")
		}
	})
	t.Run("C1 cancel", func(t *testing.T) {
		r := newRig(t)
		r.root.Top().Add(body{
			run: func(s *Step, _ *Args) {
				s.SetTimeout(time.Hour)
				s.SetCancel(func() { r.note("hook") })
				_, _ = r.loop.Immediate(func() { r.root.Cancel(nil) })
			},
			catch: func(*Step, error) { r.note("handler") },
		}, Code{})
		if err := r.run(); !errors.Is(err, fault.Cancelled) {
			t.Errorf("got %v", err)
		}
		r.want("hook")
		if r.root.Cancel(nil) || r.root.Live() || r.root.Made() {
			t.Error("is alive after its end")
		}
	})
	t.Run("a value that came too late for the outcome is dropped", func(t *testing.T) {
		r := newRig(t)
		r.root.Top().Add(body{run: func(s *Step, _ *Args) {
			s.Wait()
			a := r.value()
			s.Done().Success(&a)
			s.Fail(fault.Code("Mine"))
		}}, Code{})
		if err := r.run(); !errors.Is(err, fault.Code("Mine")) || r.released != 1 {
			t.Errorf("%v, released %d", err, r.released)
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
	r := newRig(t)
	p := r.root.Top().Parallel(body{catch: func(s *Step, _ error) { s.Success(&Args{}) }}, Code{})
	section := func(s *Step, _ *Args) {
		if inside != 1 {
			t.Errorf("%d inside", inside)
		}
		s.SetCancel(func() {})
		d := s.Done()
		_, _ = r.loop.Immediate(func() { d.Success(&Args{}) })
	}
	p.Sync(g, body{run: section}, Code{})
	p.Sync(g, body{
		run:   func(s *Step, _ *Args) { s.Fail(fault.Timeout) },
		catch: func(*Step, error) { r.note("inside" + string(rune('0'+inside))) }, // G1: the guard has been left
	}, Code{})
	r.root.Top().Add(r.gives(), Code{})
	r.root.Top().Sync(g, body{run: func(s *Step, in *Args) { r.takes().run(s, in); s.Success(in) }}, Code{})
	r.root.Top().Add(r.takes(), Code{})
	if err := r.run(); err != nil || inside != 0 || r.released != 1 {
		t.Errorf("%v, %d inside, released %d", err, inside, r.released)
	}
	r.want("inside1")
}

// A loop of any length uses the memory of one iteration.
func TestMemoryOfOneTurn(t *testing.T) {
	r := newRig(t)
	nothing := body{run: func(*Step, *Args) {}}
	turn := body{run: func(s *Step, _ *Args) {
		for range 3 {
			s.Add(nothing, Code{})
		}
	}}
	r.root.Top().Repeat(turn, Code{}, 10_000, "")
	home := &r.root.home
	steps, levels := len(home.steps), len(home.levels) // of a root that used the memory before
	if err := r.run(); err != nil {
		t.Error(err)
	}
	if n := len(home.steps); n > max(steps+1, 8) {
		t.Errorf("%d steps were made", n)
	}
	if n := len(home.levels); n > max(levels, 4) {
		t.Errorf("%d levels were made", n)
	}
}
