//go:build cgo

package cabi_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

// E7: of several threads that execute a root at once one starts it, and the others disturb nothing.
func TestExecuteByManyThreads(t *testing.T) {
	l := loop(t)
	for range 300 {
		root := cabi.NewRoot(l)
		mock.Add(root.Binary(), 0, mock.Adds, 0)
		var started, wrong atomic.Int32
		ended := make(chan error, 4)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				switch err := root.Execute(func(err error) { ended <- err }); {
				case err == nil:
					started.Add(1)
				case !errors.Is(err, fault.InternalError):
					wrong.Add(1)
				}
			})
		}
		all.Wait()
		for range started.Load() {
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
		}
		root.Free()
		if started.Load() == 0 || wrong.Load() != 0 || len(ended) != 0 {
			t.Fatalf("%d calls have started the root, %d failed with another error, %d ends too many", started.Load(), wrong.Load(), len(ended))
		}
	}
}

// E7, B4: a cleanup of what execute drops may execute the root, which is refused, and free it, which cancels the run.
func TestExecuteAndFreeWithinExecute(t *testing.T) {
	for name, frees := range map[string]bool{"execute": false, "free": true} {
		t.Run(name, func(t *testing.T) {
			live := cabi.Live()
			m := tool.NewManual(tool.Options{OnError: func(err error) { t.Errorf("reported: %v", err) }})
			root := cabi.NewRoot(m)
			var ends []error
			again := 0
			args := binval.Args{binval.FromCustom(0, func(int) {
				again++
				if err := root.Execute(func(error) { t.Error("the second call has started a run") }); !errors.Is(err, fault.InternalError) {
					t.Errorf("the second call: %v", err)
				}
				if frees && !root.Free() {
					t.Error("the root was freed before")
				}
			})}
			mock.Success(root.Binary(), &args) // a violation, so that the value is dropped
			must(t, root.Execute(func(err error) { ends = append(ends, err) }))
			for m.Iterate() {
			}
			want := fault.InternalError
			if frees {
				want = fault.Cancelled
			} else {
				root.Free()
			}
			if again != 1 || len(ends) != 1 || fault.CodeOf(ends[0]) != want {
				t.Errorf("dropped %d times, ended with %v, want %v", again, ends, want)
			}
			if n := cabi.Live() - live; n != 0 {
				t.Errorf("%d pointers are alive", n)
			}
		})
	}
}

// E7, B4: while threads execute and free a root at once, each that has started a run is told of its end, and the root is freed once.
func TestExecuteAndFreeByTwoThreads(t *testing.T) {
	var wrong atomic.Int32
	l := tool.Start(tool.Options{OnError: func(error) { wrong.Add(1) }})
	defer func() { must(t, l.Shutdown(t.Context())) }()
	live := cabi.Live()
	for range 1000 {
		root := cabi.NewRoot(l)
		mock.Add(root.Binary(), 0, mock.Adds, 0)
		ended := make(chan error, 2)
		var both sync.WaitGroup
		started := false
		both.Go(func() { started = root.Execute(func(err error) { ended <- err }) == nil })
		if !root.Free() {
			t.Fatal("freed before")
		}
		both.Wait()
		if started {
			<-ended
		}
	}
	must(t, l.Shutdown(t.Context()))
	if n := cabi.Live() - live; n != 0 || wrong.Load() != 0 {
		t.Errorf("%d pointers are alive, %d errors are reported", n, wrong.Load())
	}
}
