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
		r := newRig(t)
		flow := r.root.Flow()
		r.root.Top().Add(fails("First"), Code{})
		if err := r.run(); !errors.Is(err, fault.Code("First")) {
			t.Errorf("got %v", err)
		}
		r.ends = 0
		r.root.Top().Add(body{run: func(s *Step, _ *Args) {
			r.note("second")
			if s.Flow() != flow {
				t.Error("it is another flow")
			}
			s.Wait()
			done := s.Done()
			_, _ = r.loop.Immediate(func() { r.root.Cancel(nil); done.Success(new(Args)) })
		}}, Code{})
		if err := r.run(); !errors.Is(err, fault.Cancelled) {
			t.Errorf("got %v", err)
		}
		r.ends = 0
		r.root.Top().Add(r.gives(), Code{})
		r.root.Top().Add(r.takes(), Code{})
		if err := r.run(); err != nil || r.released != 1 {
			t.Errorf("%v, released %d", err, r.released)
		}
		r.want("second")
	})
	t.Run("by the owner, when it is told of the end", func(t *testing.T) {
		r := newRig(t)
		runs := 0
		var ended Ended
		ended = func(err error) {
			if runs++; err != nil || r.root.Live() {
				t.Errorf("run %d: %v", runs, err)
			}
			if runs < 1000 {
				r.root.Top().Add(r.gives(), Code{})
				if err := r.root.Execute(ended); err != nil {
					t.Error(err)
				}
			}
		}
		if err := r.root.Execute(ended); err != nil {
			t.Fatal(err)
		}
		for r.loop.Iterate() {
		}
		if runs != 1000 || r.released != 999 {
			t.Errorf("%d runs, released %d", runs, r.released)
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
