//go:build cgo

package cabi_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

// E4, S3: each cleanup is called once, and each pointer is given up, also if cleanups panic.
func TestPanicsOfCleanups(t *testing.T) {
	called := 0
	panics := mock.Hook(func(unsafe.Pointer) { called++; panic("in a cleanup") })
	variable := mock.HookBoth(func(unsafe.Pointer) {}, func(string) { called++; panic("in the cleanup of a variable") })
	stacks := func(as unsafe.Pointer) {
		for range 3 {
			mock.StackTelling(as, panics)
		}
	}
	code := mock.Hook(func(as unsafe.Pointer) {
		stacks(as)
		mock.StateVariable(as, "name", variable)
		stacks(mock.Parallel(as))
		panic("in the code") // what was recorded is dropped
	})

	m := newReports()
	life := func() {
		root := cabi.NewRoot(m.Manual)
		stacks(root.Binary())
		mock.Add(root.Binary(), code, mock.AsksGo, 0)
		err := errors.New("the run hasn't ended")
		must(t, root.Execute(func(e error) { err = e }))
		for m.Iterate() {
		}
		var e *fault.Error
		if !errors.As(err, &e) || !errors.Is(err, fault.InternalError) {
			t.Errorf("got %v", err)
		}
		reported := len(m.errs)
		root.Free() // C may call it on a thread of its own, where a panic would end the process
		if n := len(m.errs) - reported; n != 3+1 {
			t.Errorf("%d panics of the root's cleanups are reported, want 3 of its stack and 1 of its variable", n)
		}

		unused := cabi.NewRoot(m.Manual) // its values and its parallel step are dropped
		stacks(mock.Parallel(unused.Binary()))
		given := binval.Args{binval.FromCustom(0, func(int) { called++; panic("in a release") })}
		mock.Success(unused.Binary(), &given)
		unused.Free()
	}
	for range 100 {
		life()
	}
	before := cabi.Peers()
	called, m.errs = 0, nil
	for range 100 {
		life()
	}
	if called != 100*(3+3+3+1+3+1) {
		t.Errorf("%d cleanups were called in 100 lives, want 14 in each", called)
	}
	if n := cabi.Peers() - before; n != 0 {
		t.Errorf("%d pointers more", n)
	}
	if n := cabi.Live(); n != 0 {
		t.Errorf("%d pointers are alive", n)
	}
	for _, err := range m.errs {
		if _, ok := errors.AsType[*tool.PanicError](err); !ok {
			t.Errorf("reported: %v", err)
		}
	}
}

// B4: if done or unhandled_error panics, the run has ended nevertheless, and its root can be freed. The panic is reported.
func TestPanicOfTheEnd(t *testing.T) {
	runtime.LockOSThread() // the thread remembers what runs on it
	defer runtime.UnlockOSThread()
	panics := func(string) { panic("at the end") }
	for name, execute := range map[string]func(*cabi.Root){
		"Go": func(r *cabi.Root) { must(t, r.Execute(func(error) { panics("") })) },
		"C":  func(r *cabi.Root) { mock.Execute(r.Binary(), mock.HookBoth(nil, panics), mock.TellsGo) },
	} {
		t.Run(name, func(t *testing.T) {
			m := newReports()
			root := cabi.NewRoot(m.Manual)
			mock.Add(root.Binary(), mock.Text("Code"), mock.Fails, 0)
			execute(root)
			for m.Iterate() {
			}
			var panicked *tool.PanicError
			if len(m.errs) != 1 || !errors.As(m.errs[0], &panicked) {
				t.Errorf("reported: %v", m.errs)
			}
			if mock.SameThread(root.Binary()) {
				t.Error("this thread counts as the loop's")
			}
			if !root.Free() {
				t.Error("can't be freed")
			}
			if n := cabi.Live(); n != 0 {
				t.Errorf("%d pointers are alive", n)
			}
		})
	}
}

// S3, B1: a cleanup that ends the goroutine, while a root is executed, at the end of its run or when it is freed, leaves a root that can be
// freed. Each cleanup is called once, and each pointer is given up.
func TestGoexitOfACleanup(t *testing.T) {
	cleaned := 0
	exits := func() { cleaned++; runtime.Goexit() }
	gives := func(as unsafe.Pointer) {
		value := binval.Args{binval.FromCustom(0, func(int) { exits() })}
		mock.Success(as, &value)
	}
	stack := mock.Hook(func(unsafe.Pointer) { exits() })
	unbegun := func(as unsafe.Pointer) { // steps with pointers
		for range 3 {
			mock.StackTelling(mock.Parallel(as), stack)
		}
	}
	fails := func(as unsafe.Pointer) { mock.Add(as, mock.Text("Code"), mock.Fails, 0) }
	for name, c := range map[string]struct {
		build         func(as unsafe.Pointer)
		unused        bool // the root is freed instead of executed
		cleaned, ends int
	}{
		"of the root":          {gives, false, 1, 0}, // a violation, so execute releases the value
		"of the run's outcome": {func(as unsafe.Pointer) { mock.Add(as, mock.Hook(gives), mock.AsksGo, 0) }, false, 1, 1},
		"of steps that haven't begun": {func(as unsafe.Pointer) {
			fails(as)
			unbegun(as)
		}, false, 3, 1},
		"of sub-steps that haven't begun": {func(as unsafe.Pointer) {
			mock.Add(as, mock.Hook(func(as unsafe.Pointer) {
				mock.StackTelling(as, stack)
				fails(as)
				unbegun(as)
			}), mock.AsksGo, 0)
			unbegun(as)
		}, false, 7, 1},
		"of a root that is freed": {unbegun, true, 3, 0},
		"of a root that is freed, and of its values": {func(as unsafe.Pointer) {
			unbegun(as)
			gives(as)
		}, true, 4, 0},
	} {
		t.Run(name, func(t *testing.T) {
			cleaned = 0
			m := newReports()
			root, ends := cabi.NewRoot(m.Manual), 0
			c.build(root.Binary())
			if !c.unused {
				onGoroutine(func() { must(t, root.Execute(func(error) { ends++ })) })
				for range 3 { // each end of a goroutine is followed by another turn
					onGoroutine(func() {
						for m.Iterate() {
						}
					})
				}
			}
			onGoroutine(func() { root.Free() })
			if n := cabi.Live(); n != 0 || cleaned != c.cleaned || ends != c.ends {
				t.Errorf("%d pointers are alive, %d cleanups were called, want %d, and the run has ended %d times", n, cleaned, c.cleaned, ends)
			}
		})
	}
}

// onGoroutine calls f, which may end its goroutine.
func onGoroutine(f func()) {
	var runs sync.WaitGroup
	runs.Go(f)
	runs.Wait()
}
