package dyn

import (
	"errors"
	"runtime"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

// B12: a root that has ended is executed again, with the steps that it was given since.
func TestB12RootIsUsedAgain(t *testing.T) {
	t.Run("with other steps, however the run before has ended", func(t *testing.T) {
		h := newHarness(t)
		flow := h.root.Flow()
		h.root.Top().Add(failWith("First"), Code{})
		if err := h.run(); !errors.Is(err, fault.Code("First")) {
			t.Errorf("got %v", err)
		}
		h.ends = 0
		h.root.Top().Add(body{run: func(s *Step, _ *Args) {
			h.record("second")
			if s.Flow() != flow {
				t.Error("it is another flow")
			}
			s.Wait()
			done := s.Done()
			_, _ = h.loop.Immediate(func() { h.root.Cancel(nil); done.Success(new(Args)) })
		}}, Code{})
		if err := h.run(); !errors.Is(err, fault.Cancelled) {
			t.Errorf("got %v", err)
		}
		h.ends = 0
		h.root.Top().Add(h.succeedWithValue(), Code{})
		h.root.Top().Add(h.checkValue(), Code{})
		if err := h.run(); err != nil || h.released != 1 {
			t.Errorf("%v, released %d", err, h.released)
		}
		h.want("second")
	})
	t.Run("by the owner, when it is told of the end", func(t *testing.T) {
		h := newHarness(t)
		runs := 0
		var ended Ended
		ended = func(err error) {
			if runs++; err != nil || h.root.Live() {
				t.Errorf("run %d: %v", runs, err)
			}
			if runs < 1000 {
				h.root.Top().Add(h.succeedWithValue(), Code{})
				if err := h.root.Execute(ended); err != nil {
					t.Error(err)
				}
			}
		}
		if err := h.root.Execute(ended); err != nil {
			t.Fatal(err)
		}
		for h.loop.Iterate() {
		}
		if runs != 1000 || h.released != 999 {
			t.Errorf("%d runs, released %d", runs, h.released)
		}
	})
	t.Run("by another goroutine, as soon as it isn't live", func(t *testing.T) {
		loop := tool.Start(tool.Options{})
		root := NewRoot(loop)
		ends := make(chan error, 100)
		for i := range 100 {
			for root.Live() {
				runtime.Gosched()
			}
			ran := false
			root.Top().Add(body{run: func(*Step, *Args) { ran = true }}, Code{})
			if err := root.Execute(Ended(func(err error) {
				if !ran {
					t.Errorf("run %d had no step", i)
				}
				ends <- err
			})); err != nil {
				t.Fatal(err)
			}
		}
		for range 100 {
			if err := <-ends; err != nil {
				t.Error(err)
			}
		}
		if err := loop.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
