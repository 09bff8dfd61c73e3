package dyn

import (
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

// Each root is a flow of its own, also if it uses the memory of an earlier one.
func TestG2RootsAreDifferentFlows(t *testing.T) {
	loop := tool.NewManual(tool.Options{})
	seen := make(map[uintptr]bool)
	for range 10 {
		kept, dropped := NewRoot(loop), NewRoot(loop)
		for _, r := range []*Root{kept, dropped} {
			if seen[r.Flow()] {
				t.Fatalf("flow %d is another root's too", r.Flow())
			}
			seen[r.Flow()] = true
		}
		dropped.Drop()
		defer kept.Drop()
	}
}

// To drop a root again does nothing. What was dropped is never executed.
func TestDropTwice(t *testing.T) {
	h := newHarness(t)
	h.root.Top().Add(h.recordBody("never"), Code{})
	h.root.Drop()
	h.root.Drop()
	if h.root.Made() {
		t.Error("is as it was")
	}
	if err := h.run(); err != nil {
		t.Error(err)
	}
	h.want("")
}

type peerFunc func()

func (l peerFunc) Leave() { l() }

// A peer whose step ends with a root that was never begun may use the root.
func TestPeersOfDroppedRootUseIt(t *testing.T) {
	for name, drop := range map[string]func(*testing.T, *Root, *tool.Manual){
		"Drop": func(_ *testing.T, r *Root, _ *tool.Manual) { r.Drop() },
		"Execute on a loop that has ended": func(t *testing.T, r *Root, loop *tool.Manual) {
			if err := loop.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := r.Execute(Ended(func(error) { t.Error("the owner is told of an end") })); !errors.Is(err, tool.ErrShutdown) {
				t.Errorf("got %v", err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			loop := tool.NewManual(tool.Options{})
			r, left := NewRoot(loop), 0
			r.Top().Parallel(body{}, Code{}).SetPeer(peerFunc(func() {
				left++
				if !r.mu.TryLock() {
					t.Fatal("the root is locked")
				}
				r.mu.Unlock()
				if r.Cancel(nil) || r.Vars() != nil || r.Made() || r.Live() {
					t.Error("the root isn't over")
				}
			}))
			drop(t, r, loop)
			if left != 1 {
				t.Errorf("the peer was left %d times", left)
			}
		})
	}
}

// All peers of a root that is dropped leave, also if one of them panics.
func TestPeersThatPanicLeave(t *testing.T) {
	var reported []error
	r := NewRoot(tool.NewManual(tool.Options{OnError: func(err error) { reported = append(reported, err) }}))
	left := 0
	for range 2 {
		r.Top().Parallel(body{}, Code{}).SetPeer(peerFunc(func() { left++; panic("in a cleanup") }))
	}
	r.Drop()
	if left != 2 || len(reported) != 2 {
		t.Errorf("%d have left, reported %v", left, reported)
	}
}

// hookedQueue is a loop that calls ask when something is queued, because another goroutine could execute that at once.
type hookedQueue struct {
	*tool.Manual
	ask func()
}

func (l hookedQueue) Immediate(fn func()) (tool.Handle, error) {
	l.ask()
	return l.Manual.Immediate(fn)
}

// E7: a root counts as executed already when its run is queued, because a step may ask for that.
func TestE7ExecutedBeforeItRuns(t *testing.T) {
	var root *Root
	loop := hookedQueue{Manual: tool.NewManual(tool.Options{}), ask: func() {
		if root.Made() || !root.Live() {
			t.Error("the root can be executed again")
		}
	}}
	root = NewRoot(loop)
	if err := root.Execute(Ended(func(error) {})); err != nil {
		t.Fatal(err)
	}
	for loop.Iterate() {
	}
	if root.Made() || root.Live() {
		t.Error("the root isn't over")
	}
}

// B1: values that nobody takes are released, and that is not reported.
func TestB1ReleasesAreNoErrors(t *testing.T) {
	turn := body{run: func(s *Step, _ *Args) { s.Leave("", false) }}
	h := newHarness(t)
	h.root.Top().Add(h.succeedWithValue(), Code{})
	h.root.Top().Loop(turn, Code{}, "")
	if err := h.run(); err != nil || h.released != 1 || len(h.reported) != 0 {
		t.Errorf("%v; %d released; reported %v", err, h.released, h.reported)
	}
}

// B1: if a release function panics, that is reported, what else is due is done, and the owner is told of the end.
func TestB1ReleasePanics(t *testing.T) {
	h := newHarness(t)
	panics := func() *Args {
		return &Args{
			binval.FromCustom(0, func(int) { panic("in a release") }),
			binval.FromCustom(0, func(int) { h.released++ }),
		}
	}
	h.root.Top().Add(body{run: func(s *Step, _ *Args) { s.Success(panics()) }}, Code{}) // nobody takes it
	h.root.Top().Add(body{run: func(s *Step, _ *Args) {
		s.SetPeer(peerFunc(func() { h.record("left") }))
		s.Wait()
		if !s.Done().Success(panics()) {
			t.Error("the wait was over")
		}
		s.Fail(fault.Timeout)
	}, catch: func(s *Step, _ error) { s.Success(panics()) }}, Code{})
	h.root.Top().Add(body{run: func(s *Step, in *Args) {
		s.Success(in)
		s.Success(panics()) // once more
	}, catch: func(s *Step, _ error) { s.Success(panics()) }}, Code{}) // the result of the run
	if err := h.run(); err != nil {
		t.Errorf("got %v", err)
	}
	h.want("left")
	for _, err := range h.reported {
		if _, ok := errors.AsType[*tool.PanicError](err); !ok {
			t.Errorf("reported: %v", err)
		}
	}
	if h.released != 5 || len(h.reported) != 5 {
		t.Errorf("released %d, reported %d errors", h.released, len(h.reported))
	}
}

// C6: what the code does after it called waitExternal counts, also if the wait was completed before.
func TestC6CodeSaysMoreThanItsWait(t *testing.T) {
	h := newHarness(t)
	h.root.Top().Add(body{run: func(s *Step, _ *Args) {
		s.Wait()
		late := h.value()
		if !s.Done().Success(&late) {
			t.Error("the wait was over")
		}
		own := Args{binval.FromCustom(7, func(int) { h.record("released") })}
		s.Success(&own)
	}}, Code{})
	h.root.Top().Add(body{run: func(_ *Step, in *Args) {
		if v, err := binval.ToCustom[int](&in[0]); v != 7 || err != nil {
			t.Errorf("got %v, %v", v, err)
		}
		h.record("next")
	}}, Code{})
	if err := h.run(); err != nil || h.released != 1 {
		t.Errorf("%v; released %d", err, h.released)
	}
	h.want("next released")
}

// E7: a hook isn't code of the step, so it can't complete the step.
func TestE7HookCompletesItsStep(t *testing.T) {
	h := newHarness(t)
	h.root.Top().Add(body{run: func(s *Step, _ *Args) {
		s.SetCancel(func() {
			h.record("hook")
			own := h.value()
			s.Success(&own)
		})
	}}, Code{})
	if err := h.root.Execute(Ended(func(err error) { h.ends++; h.err = err })); err != nil {
		t.Fatal(err)
	}
	for h.loop.Iterate() {
	}
	h.root.Cancel(nil)
	for h.loop.Iterate() {
	}
	h.want("hook")
	var e *fault.Error
	if !errors.As(h.err, &e) || e.Code != fault.Cancelled || len(e.Secondary) != 1 || h.released != 1 {
		t.Errorf("ended with %+v, released %d", h.err, h.released)
	}
}
