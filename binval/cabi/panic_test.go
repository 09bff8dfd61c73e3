//go:build cgo

package cabi_test

import (
	"testing"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// panics is a codec whose accessor panics.
var panics = binval.Codec[int32]{binval.At(func(*int32) *int32 { panic("in a codec") })}

// E4: a codec that panics fails the step, in this engine and in a foreign one.
func TestCodecPanics(t *testing.T) {
	waits := step.New(func(as step.Scope, n int32) step.Next[int32] {
		return step.Wait(as, func(done step.Done[int32]) {
			_, err := as.Loop().Immediate(func() { done.Succeed(n) })
			must(t, err)
		})
	})
	for name, add := range map[string]func(as cabi.Steps) error{
		"in":                 func(as cabi.Steps) error { return cabi.Add(as, &panics, double, &number) },
		"out":                func(as cabi.Steps) error { return cabi.Add(as, &number, double, &panics) },
		"out of a long step": func(as cabi.Steps) error { return cabi.Add(as, &number, waits, &panics) },
	} {
		t.Run("foreign, "+name, func(t *testing.T) {
			e := foreign(t)
			root, caught, never := e.Root(), mock.NewCaught(), mock.NewNumber()
			mock.Add(root, 21, mock.Gives, 0)
			must(t, add(wrap(t, root)))
			mock.Add(root, never.Data(), mock.Takes, 0)
			mock.Execute(root, caught.Data(), mock.Catches)
			e.Run()
			if caught.Code() != "InternalError" || caught.Info() != "a codec of the stage: panic: in a codec" || caught.Count() != 1 {
				t.Errorf("got %q, %q, %d times", caught.Code(), caught.Info(), caught.Count())
			}
			mock.Free(root)
		})
		t.Run("own, "+name, func(t *testing.T) {
			m := newReports()
			root := cabi.NewRoot(m.Manual)
			mock.Add(root.Binary(), 21, mock.Gives, 0)
			must(t, add(root.Steps()))
			var err error
			must(t, root.Execute(func(e error) { err = e }))
			for m.Iterate() {
			}
			root.Free()
			p, ok := fault.AsType[*fault.Panic](err)
			if fault.CodeOf(err) != fault.InternalError || !ok || len(p.Stack) == 0 || len(m.errs) != 0 {
				t.Errorf("got %v, reported %v", err, m.errs)
			}
		})
	}
	for name, s := range map[string]step.Step[int32, int32]{
		"in":  cabi.Call(&panics, code(mock.Forwards, 0, 0), &number),
		"out": cabi.Call(&number, code(mock.Forwards, 0, 0), &panics),
	} {
		t.Run("call, "+name, func(t *testing.T) {
			_, err := flow.Run(t.Context(), s, 1)
			if p, ok := fault.AsType[*fault.Panic](err); fault.CodeOf(err) != fault.InternalError || !ok || len(p.Stack) == 0 {
				t.Errorf("got %v", err)
			}
		})
	}
}

// B1: what a codec that panics has not taken over is reset.
func TestCodecPanicsAndArgumentsAreReset(t *testing.T) {
	e := foreign(t)
	root, caught, released := e.Root(), mock.NewCaught(), 0
	gives := mock.Hook(func(as unsafe.Pointer) {
		mock.Success(as, &binval.Args{binval.FromCustom(0, func(int) { released++ })})
	})
	mock.Add(root, gives, mock.AsksGo, 0)
	must(t, cabi.Add(wrap(t, root), &panics, double, &number))
	mock.Execute(root, caught.Data(), mock.Catches)
	e.Run()
	if released != 1 || caught.Code() != "InternalError" {
		t.Errorf("released %d times, got %q", released, caught.Code())
	}
	mock.Free(root)
}
