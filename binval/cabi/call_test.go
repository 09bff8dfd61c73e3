//go:build cgo

package cabi_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
)

// B9: when Go panics through code of C, the thread forgets that code: a violation that other code commits on the thread isn't an
// error of the step that has panicked.
func TestPanicLeavesTheThread(t *testing.T) {
	runtime.LockOSThread() // so that the observer sees what the thread is left with
	defer runtime.UnlockOSThread()
	m := newReports()
	void := cabi.NewRoot(m.Manual)
	void.Free()
	violates := func(context.Context, observe.Run) (context.Context, observe.Watch) {
		return t.Context(), func(e observe.Event) {
			if e.Kind == observe.Raised {
				mock.Add(void.Binary(), 0, mock.Forwards, 0)
			}
		}
	}
	panics := mock.Hook(func(unsafe.Pointer) { panic("in the code") })
	stage := cabi.Call(&none, code(mock.AsksGo, 0, panics), &none)
	_, err := flow.Run(observe.With(t.Context(), observe.Func(violates)), stage, struct{}{})
	if !errors.Is(err, fault.InternalError) {
		t.Errorf("got %v", err)
	}
	if n := m.violations(t); n == 0 {
		t.Error("the violation is put down to the code that has panicked")
	}
}
