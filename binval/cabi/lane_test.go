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
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// drive executes a root with one step of C on m, and returns how it ended.
func drive(t *testing.T, m *tool.Manual, data, f uintptr) error {
	t.Helper()
	root := cabi.NewRoot(m)
	defer root.Free()
	mock.Add(root.Binary(), data, f, 0)
	err := errors.New("the run hasn't ended")
	must(t, root.Execute(func(e error) { err = e }))
	for m.Iterate() {
	}
	return err
}

// When Go panics through code of C, the calls that C has kept take effect, those that it has recorded are dropped, and the thread forgets
// the code.
func TestPanicThroughC(t *testing.T) {
	t.Run("the code of a step", func(t *testing.T) {
		m := tool.NewManual(tool.Options{})
		called := 0
		schedules := mock.Hook(func(as unsafe.Pointer) {
			if as != nil {
				panic("in the code")
			}
			called++
		})
		for i := range 100 {
			if err := drive(t, m, schedules, mock.Schedules); !errors.Is(err, fault.InternalError) {
				t.Errorf("got %v", err)
			}
			if called != i+1 {
				t.Fatalf("%d callbacks were called after %d runs", called, i+1)
			}
		}
	})
	t.Run("a callback", func(t *testing.T) {
		m := tool.NewManual(tool.Options{OnError: func(error) {}})
		panics := mock.Hook(func(unsafe.Pointer) { panic("in the callback") })
		for range 3 {
			must(t, drive(t, m, panics, mock.Completes))
		}
	})
	t.Run("code that has a cancel hook", func(t *testing.T) {
		runtime.LockOSThread() // the thread remembers what runs on it
		defer runtime.UnlockOSThread()
		m := newReports()
		root := cabi.NewRoot(m.Manual)
		hooked := 0
		hook := mock.Hook(func(unsafe.Pointer) { hooked++ })
		panics := mock.Hook(func(as unsafe.Pointer) {
			mock.SetCancel(as, hook)
			panic("in the code")
		})
		if err := drive(t, m.Manual, panics, mock.AsksGo); !errors.Is(err, fault.InternalError) || hooked != 1 {
			t.Errorf("got %v, the hook was called %d times", err, hooked)
		}
		if mock.SameThread(root.Binary()) {
			t.Error("this thread counts as the loop's")
		}
		root.Free()
		mock.Cancel(root.Binary()) // none of the steps commits this violation
		if n := m.violations(t); n != 1 {
			t.Errorf("%d violations are reported", n)
		}
	})
	t.Run("code that has recorded parallel steps and a plan", func(t *testing.T) {
		m := tool.NewManual(tool.Options{})
		held := cabi.Held()
		records := mock.Hook(func(as unsafe.Pointer) {
			outer := mock.Parallel(as)
			inner := mock.Parallel(outer)
			mock.Parallel(outer)
			mock.Add(inner, 0, mock.Forwards, 0)
			to, err := cabi.Wrap(inner)
			must(t, err)
			must(t, cabi.Add(to, &number, double, &number))
			panic("in the code")
		})
		if err := drive(t, m, records, mock.AsksGo); !errors.Is(err, fault.InternalError) {
			t.Errorf("got %v", err)
		}
		if n := cabi.Held() - held; n != 0 {
			t.Errorf("%d plans are held", n)
		}
	})
	if n := cabi.Live(); n != 0 {
		t.Errorf("%d pointers are alive", n)
	}
}

// A call that C has recorded ends the goroutine while it is carried out. The run ends nevertheless, and no pointer is left.
func TestGoexitOfRecordedCall(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	held := cabi.NewRoot(m)
	var code unsafe.Pointer
	records := func(as unsafe.Pointer) {
		code = as
		mock.Parallel(mock.Parallel(as))
		exits := binval.Args{binval.FromCustom(0, func(int) { runtime.Goexit() })}
		mock.Success(as, &exits) // a violation after Parallel, so the value is released
	}
	recovers := func(string) {
		var none binval.Args
		mock.Success(code, &none)
	}
	for range 10 {
		for _, c := range []struct {
			data, catch uintptr
			err         error
		}{
			{mock.Hook(records), 0, fault.InternalError},
			{mock.HookBoth(records, recovers), mock.TellsGo, nil},
		} {
			root := cabi.NewRoot(m)
			mock.Add(root.Binary(), c.data, mock.AsksGo, c.catch)
			err := errors.New("the run hasn't ended")
			must(t, root.Execute(func(e error) { err = e }))
			for range 2 { // Goexit ends the first goroutine
				var drives sync.WaitGroup
				drives.Go(func() {
					for m.Iterate() {
					}
				})
				drives.Wait()
			}
			if !errors.Is(err, c.err) {
				t.Errorf("got %v", err)
			}
			root.Free()
			if n := cabi.Live(); n != 1 {
				t.Fatalf("%d pointers are alive", n)
			}
		}
	}
	held.Free()
}

// B9: a run of Go inside code of C doesn't hide that code, even if code of C inside of that run panics. A violation that the outer code
// commits later is an error of its own step.
func TestRunInsideCodeOfC(t *testing.T) {
	m := tool.NewManual(tool.Options{OnError: func(err error) { t.Errorf("reported: %v", err) }})
	void := cabi.NewRoot(m)
	void.Free()
	panics := mock.Hook(func(unsafe.Pointer) { panic("inside") })
	ctx := flow.WithOptions(t.Context(), tool.Options{OnError: func(error) {}})
	for name, inner := range map[string]struct {
		stage step.Step[struct{}, struct{}]
		err   error
	}{
		"of Go":                 {cabi.Func(func(cabi.Steps, struct{}) error { return nil }, &none), nil},
		"whose code panics":     {cabi.Call(&none, code(mock.AsksGo, 0, panics), &none), fault.InternalError},
		"whose callback panics": {cabi.Call(&none, code(mock.Completes, 0, panics), &none), nil},
	} {
		t.Run(name, func(t *testing.T) {
			runs := mock.Hook(func(unsafe.Pointer) {
				if _, err := flow.Run(ctx, inner.stage, struct{}{}); !errors.Is(err, inner.err) {
					t.Error(err)
				}
				mock.Add(void.Binary(), 0, mock.Forwards, 0)
			})
			if err := drive(t, m, runs, mock.AsksGo); !errors.Is(err, fault.InternalError) {
				t.Errorf("got %v", err)
			}
		})
	}
}
