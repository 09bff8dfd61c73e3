//go:build cgo

package cabi_test

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/tool"
)

// B7: free cleans up a variable that another thread made while the run was ending.
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

// B7: if allocate itself makes a variable with the same name, that variable stays, because C may have it already, and the one that
// allocate returns is cleaned up.
func TestVariableMadeByItsAllocate(t *testing.T) {
	m := tool.NewManual(tool.Options{OnError: func(err error) { t.Errorf("reported: %v", err) }})
	var cleaned []string
	var first uintptr
	makes := mock.Hook(func(as unsafe.Pointer) {
		first = mock.HookBoth(func(unsafe.Pointer) {}, func(string) { cleaned = append(cleaned, "first") })
		second := mock.HookBoth(func(unsafe.Pointer) {
			if got := mock.StateVariable(as, "name", first); got != first {
				t.Error("the first one isn't given to the code that makes it")
			}
		}, func(string) { cleaned = append(cleaned, "second") })
		for range 2 {
			if got := mock.StateVariable(as, "name", second); got != first {
				t.Error("the variable is another one")
			}
		}
	})
	for name, run := range map[string]func() error{
		"of a root": func() error { return drive(t, m, makes, mock.AsksGo) },
		"in a plan of Go": func() error {
			_, err := flow.Run(t.Context(), cabi.Call(&none, code(mock.AsksGo, 0, makes), &none), struct{}{})
			return err
		},
	} {
		cleaned = nil
		must(t, run())
		if !slices.Equal(cleaned, []string{"second", "first"}) {
			t.Errorf("%s: cleaned up were %q", name, cleaned)
		}
	}
}

// B7: a variable of a root that is freed before the variable is made is cleaned up, and another root with the same pointer doesn't have it.
func TestVariableOfFreedRoot(t *testing.T) {
	m := tool.NewManual(tool.Options{OnError: func(err error) { t.Errorf("reported: %v", err) }})
	parent := cabi.NewRoot(m)
	defer parent.Free()
	const roots = 200
	for name, c := range map[string]struct {
		frees bool // in allocate
		soon  int  // how many variables are cleaned up at the latest with the last root
	}{
		"by its allocate":        {true, roots / 2},
		"by a cleanup of others": {false, roots},
	} {
		t.Run(name, func(t *testing.T) {
			cleaned, made := 0, 0
			for range roots {
				root := mock.NewInstance(parent.Binary())
				late := mock.HookBoth(func(unsafe.Pointer) {
					if made++; c.frees {
						mock.Free(root)
					}
				}, func(string) { cleaned++ })
				if c.frees {
					mock.StateVariable(root, "name", late)
					continue
				}
				mock.StateVariable(root, "early", mock.HookBoth(func(unsafe.Pointer) {}, func(string) { mock.StateVariable(root, "name", late) }))
				if mock.Free(root); cleaned < made {
					t.Fatal("it is left over")
				}
			}
			if made < roots || cleaned < c.soon {
				t.Errorf("%d variables were made for %d roots, %d were cleaned up", made, roots, cleaned)
			}
		})
	}
}
