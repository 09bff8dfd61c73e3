//go:build cgo

package cabi_test

import (
	"testing"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/tool"
)

// B7: free cleans a state variable up at once, also if it was made by another thread while the run was ending.
func TestVariableMadeWhileTheRunEnds(t *testing.T) {
	m := tool.NewManual(tool.Options{OnError: func(err error) { t.Errorf("reported: %v", err) }})
	parent := cabi.NewRoot(m)
	defer parent.Free()
	root := mock.NewInstance(parent.Binary())

	making, over, made := make(chan struct{}), make(chan struct{}), make(chan struct{})
	cleaned := 0
	variable := mock.HookBoth(func(unsafe.Pointer) {
		close(making)
		<-over
	}, func(string) { cleaned++ })
	unhandled := mock.HookBoth(nil, func(string) {
		go func() {
			mock.StateVariable(root, "name", variable)
			close(made)
		}()
		<-making
	})
	mock.Add(root, mock.Text("Code"), mock.Fails, 0)
	mock.Execute(root, unhandled, mock.TellsGo)
	for m.Iterate() {
	}
	close(over)
	<-made
	mock.Free(root)
	if cleaned != 1 {
		t.Errorf("the variable was cleaned up %d times", cleaned)
	}
	if n := cabi.Live(); n != 1 {
		t.Errorf("%d pointers are alive", n)
	}
}
