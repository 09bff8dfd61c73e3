//go:build cgo

package cabi_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
	"weak"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

// reports is a loop that the test drives, with the errors that were reported to it.
type reports struct {
	*tool.Manual
	errs []error
}

func newReports() *reports {
	r := &reports{}
	r.Manual = tool.NewManual(tool.Options{OnError: func(err error) { r.errs = append(r.errs, err) }})
	return r
}

// violations returns how many errors were reported since the last call, and checks that they are violations.
func (r *reports) violations(t *testing.T) int {
	t.Helper()
	for _, err := range r.errs {
		if !errors.Is(err, fault.InternalError) {
			t.Errorf("reported: %v", err)
		}
	}
	n := len(r.errs)
	r.errs = nil
	return n
}

func ended(of *cabi.Root, m *tool.Manual) unsafe.Pointer {
	made := mock.NewInstance(of.Binary())
	mock.Add(made, 0, mock.Adds, 0)
	mock.Execute(made, 0, 0)
	for m.Iterate() {
	}
	return made
}

// B4, B9: using a freed instance is a violation, also before the free is carried out, and doesn't disturb the instance that is made next.
func TestFreedInstanceIsVoid(t *testing.T) {
	uses := map[string]func(unsafe.Pointer){
		"add":      func(as unsafe.Pointer) { mock.Add(as, 0, mock.Forwards, 0) },
		"parallel": func(as unsafe.Pointer) { mock.Parallel(as) },
		"execute":  func(as unsafe.Pointer) { mock.Execute(as, 0, 0) },
		"cancel":   mock.Cancel,
		"free":     mock.Free,
	}
	for name, use := range uses {
		t.Run(name, func(t *testing.T) {
			m := newReports()
			root := cabi.NewRoot(m.Manual)
			defer root.Free()
			for range 200 {
				freed := ended(root, m.Manual)
				mock.Free(freed)
				if n := m.violations(t); n != 0 {
					t.Fatalf("%d violations", n)
				}
				use(freed)
				next := mock.NewInstance(root.Binary())
				use(freed)
				if n := m.violations(t); n != 2 {
					t.Fatalf("%d violations are reported, want 2", n)
				}
				if as, err := cabi.Wrap(next); err != nil || !as.Valid() || next == freed {
					t.Fatal("the next instance isn't valid")
				}
				if n := cabi.Live(); n != 2 {
					t.Fatalf("%d pointers are alive", n)
				}
				mock.Free(next)
			}
		})
	}
	if n := cabi.Live(); n != 0 {
		t.Errorf("%d pointers are alive", n)
	}
}

// B9: the second free is a violation.
func TestFreeByTwoThreads(t *testing.T) {
	var wrong atomic.Int32
	m := tool.NewManual(tool.Options{OnError: func(error) { wrong.Add(1) }})
	root := cabi.NewRoot(m)
	defer root.Free()
	for i := range int32(500) {
		made := ended(root, m)
		var both sync.WaitGroup
		both.Go(func() { mock.Free(made) })
		mock.Free(made)
		both.Wait()
		if n := wrong.Load(); n != i+1 {
			t.Fatalf("after %d instances %d violations", i+1, n)
		}
		if n := cabi.Live(); n != 1 {
			t.Fatalf("%d pointers are alive", n)
		}
	}
}

// B9: when a root that was never executed is freed, the release functions of its values may call the table. Neither its pointer nor that
// of a parallel step takes steps then.
func TestFreeOfUnusedRootTakesNoSteps(t *testing.T) {
	m := newReports()
	for name, free := range map[string]func(*cabi.Root){
		"Go": func(r *cabi.Root) { r.Free() },
		"C":  func(r *cabi.Root) { mock.Free(r.Binary()) },
	} {
		t.Run(name, func(t *testing.T) {
			root := cabi.NewRoot(m.Manual)
			for _, as := range []unsafe.Pointer{root.Binary(), mock.Parallel(root.Binary())} {
				adds := binval.Args{binval.FromCustom(as, func(as unsafe.Pointer) {
					for range 100 {
						mock.Add(as, 0, mock.Forwards, 0)
					}
					mock.Parallel(as)
				})}
				mock.Success(as, &adds)
				mock.Parallel(as)
				mock.Add(as, 0, mock.Forwards, 0)
			}
			free(root)
			if n := m.violations(t); n != 202 {
				t.Errorf("%d violations, want 202", n)
			}
			if n := cabi.Live(); n != 0 {
				t.Errorf("%d pointers are alive", n)
			}
		})
	}
}

// B4: Go can't free a root that C has freed, nor C one that Go has freed.
func TestFreeOfTheOtherSide(t *testing.T) {
	m := newReports()
	for i := range 200 {
		root := cabi.NewRoot(m.Manual)
		must(t, root.Execute(nil))
		for m.Iterate() {
		}
		if i%2 == 0 {
			mock.Free(root.Binary())
			if root.Free() {
				t.Fatal("freed twice")
			}
		} else {
			root.Free()
			mock.Free(root.Binary())
			if n := m.violations(t); n != 1 {
				t.Fatalf("%d violations", n)
			}
		}
	}
	if n := len(m.errs) + cabi.Live(); n != 0 {
		t.Errorf("reported %v, %d pointers are alive", m.errs, cabi.Live())
	}
}

// The instance that is ready for a root is freed with the root.
func TestReadyInstanceIsFreed(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	life := func() {
		root := cabi.NewRoot(m)
		instance(root, m)
		instance(root, m) // the second one carries out the free of the first
		root.Free()
	}
	for range 100 {
		life()
	}
	before := cabi.Peers()
	for range 100 {
		life()
	}
	if n := cabi.Peers() - before; n != 0 {
		t.Errorf("%d pointers more", n)
	}
	if n := cabi.Live(); n != 0 {
		t.Errorf("%d pointers are alive", n)
	}
}

// asked is a loop that isn't of package tool. hosts counts the calls of Host.
type asked struct {
	*tool.Manual
	hosts int
}

func (a *asked) Host() *tool.Host {
	a.hosts++
	return a.Manual.Host()
}

// No instance is made ready on a loop of another package.
func TestNothingIsReadyOnOtherLoops(t *testing.T) {
	m := &asked{Manual: tool.NewManual(tool.Options{})}
	root := cabi.NewRoot(m)
	defer root.Free()
	for range 3 {
		made := ended(root, m.Manual)
		before := m.hosts
		mock.Free(made)
		if m.hosts != before {
			t.Fatal("an instance was made")
		}
	}
}

// B4: the function that is called at the end of a run isn't kept until the memory of its root is released.
func TestDoneIsForgotten(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	life := func() weak.Pointer[[64]int] {
		ends := new([64]int)
		root := cabi.NewRoot(m)
		must(t, root.Execute(func(error) { ends[0]++ }))
		for m.Iterate() {
		}
		mock.Free(root.Binary())
		if ends[0] != 1 {
			t.Error("the end wasn't told")
		}
		return weak.Make(ends)
	}
	ends := life()
	runtime.GC()
	if ends.Value() != nil {
		t.Error("the function is kept")
	}
	if n := cabi.Live(); n != 0 {
		t.Errorf("%d pointers are alive", n)
	}
}

// B9: a pointer that was freed stays void while an instance that C doesn't have yet is ready in its memory.
func TestReadyInstanceIsVoid(t *testing.T) {
	m := newReports()
	root := cabi.NewRoot(m.Manual)
	defer root.Free()
	stale := ended(root, m.Manual)
	mock.Free(stale)
	again := 0
	for range 300 {
		made := ended(root, m.Manual)
		if made == stale {
			again++
		} else {
			mock.Free(stale)
			if n := m.violations(t); n != 1 {
				t.Fatalf("%d violations", n)
			}
		}
		mock.Free(made)
	}
	if again == 0 {
		t.Error("the memory of the pointer was never used again")
	}
}

// B9, B10: memory that a void pointer gives isn't given again, because C may write to it. It belongs to no step, so the free that is
// carried out meanwhile leaves it alone.
func TestStackOfFreedInstance(t *testing.T) {
	const size = 1 << 12
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m := newReports()
	asks := func(t *testing.T, stale unsafe.Pointer) {
		first := mock.Stack(stale, size)
		if mock.Stack(stale, size) == first {
			t.Fatal("memory is given twice")
		}
		if n := m.violations(t); n != 2 {
			t.Fatalf("%d violations are reported, want 2", n)
		}
	}
	t.Run("its free is kept", func(t *testing.T) {
		root := cabi.NewRoot(m.Manual)
		defer root.Free()
		for range 100 {
			freed := ended(root, m.Manual)
			mock.Free(freed)
			asks(t, freed)
		}
	})
	t.Run("it is the ready instance of a root whose free is kept", func(t *testing.T) {
		top := cabi.NewRoot(m.Manual)
		defer top.Free()
		for range 100 {
			root := ended(top, m.Manual)
			mock.Free(mock.NewInstance(root))
			stale := cabi.Ready(root) // C may have had this pointer before
			mock.Free(root)
			asks(t, stale)
		}
	})
	if n := cabi.Live(); n != 0 {
		t.Errorf("%d pointers are alive", n)
	}
}

// Threads use instances of one root, while other roots on the same loop are made and freed with their instances.
func TestInstancesByManyThreads(t *testing.T) {
	l := loop(t)
	root := cabi.NewRoot(l)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				made := mock.NewInstance(root.Binary())
				done := make(chan struct{})
				mock.Add(made, mock.Hook(func(unsafe.Pointer) { close(done) }), mock.AsksGo, 0)
				mock.Execute(made, 0, 0)
				<-done
				mock.Free(made)
				own := cabi.NewRoot(l)
				mock.Free(mock.NewInstance(own.Binary()))
				mock.Free(mock.NewInstance(own.Binary()))
				own.Free()
			}
		})
	}
	all.Wait()
	root.Free()
}
