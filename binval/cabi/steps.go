//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/dyn"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// Steps is a FutoInAsyncSteps*, ours or a foreign one, for Go. It is as valid as
// the pointer. FTN12 §2.2.1.
type Steps struct{ p unsafe.Pointer }

// Wrap takes a FutoInAsyncSteps*. If it is one of ours that is all; stages added
// to a foreign one run inside that engine. A nil pointer, or one without a
// function table, is an InvalidRequest. FTN12 §2.2.1 wrap.
func Wrap(p unsafe.Pointer) (Steps, error) {
	linked()
	if p == nil || (*C.FutoInAsyncSteps)(p).api == nil {
		return Steps{}, fault.New(fault.InvalidRequest, "Wrap: the pointer has no function table")
	}
	return Steps{p}, nil
}

// Binary is the FutoInAsyncSteps*. FTN12 §2.2.1 binary.
func (as Steps) Binary() unsafe.Pointer { return as.p }

// Foreign reports whether the steps belong to another engine.
func (as Steps) Foreign() bool { return as.p != nil && as.c().api != &C.ftn_table }

// Valid reports whether the pointer may be used now. FTN12 §2.2.1 boolean cast.
func (as Steps) Valid() bool { return as.p != nil && C.ftn_valid(as.c()) != 0 }

// Free gives up a root of ours, see [Root.Free]; it does nothing to others.
func (as Steps) Free() {
	if as.p != nil && !as.Foreign() {
		ftngoFree((*C.ftn_steps)(as.p).peer)
	}
}

func (as Steps) c() *C.FutoInAsyncSteps { return (*C.FutoInAsyncSteps)(as.p) }

// plans are the compiled stages that recorders refer to.
var plans binval.Handles[dyn.Typed]

// Add adds a stage of Go as the next step: it begins with the values of the step
// before, as in reads them, and ends with what out makes of its result. Its
// errors go to the handlers of the steps around, as code and info where those
// are foreign. Breaking a loop outside of the stage is an error of it if the
// engine is foreign.
//
// It is for whoever may call add of the table now; see the package documentation.
// Otherwise, and for a stage that can't be run, it fails with InvalidRequest and
// adds nothing. FTN12 §2.2.1 add.
func Add[In, Out any](as Steps, in *binval.Codec[In], s step.Step[In, Out], out *binval.Codec[Out]) error {
	switch {
	case s == nil || s.Stage() == nil:
		return fault.New(fault.InvalidRequest, "Add: the stage is nil")
	case in == nil || out == nil:
		return fault.New(fault.InvalidRequest, "Add: the "+noCodec)
	}
	stage := s.Stage()
	if err := stage.Err(); err != nil {
		return err
	}
	if as.p == nil {
		return errNotNow
	}
	if as.Foreign() {
		return abroad(as, visitor(stage, in, out))
	}
	handle := plans.Put(dyn.Plan(stage, in, out))
	if C.ftn_plan(as.c(), C.uintptr_t(handle)) == 0 {
		plans.Take(handle)
		return errNotNow
	}
	return nil
}

// noCodec says what is wrong with a plan that could not read or write its values.
const noCodec = "codec is nil; one without fields is &binval.Codec[struct{}]{}"

var errNotNow = fault.New(fault.InvalidRequest, "Add: steps can't be added to this pointer now")

// Code is a step of C. FTN12 §2.7.2.
type Code struct {
	Execute unsafe.Pointer // FutoInAsyncSteps_execute_callback
	Catch   unsafe.Pointer // FutoInAsyncSteps_error_callback, or nil
	Data    unsafe.Pointer // given to both; not a pointer to Go memory
}

// composed is a stage of this package.
type composed[In, Out any] struct{ s *plan.Stage[In, Out] }

func (c composed[In, Out]) Stage() *plan.Stage[In, Out] { return c.s }

// Call is a stage of a Go plan that is a step of C: in makes its arguments, out
// reads its result. The steps that C adds run on the loop of the run. An error of
// C is a [fault.Error], and one that passes through C unchanged stays what it is.
// FTN12 §2.2.1 add, binary.
func Call[In, Out any](in *binval.Codec[In], c Code, out *binval.Codec[Out]) step.Step[In, Out] {
	linked()
	code := dyn.Code{Run: uintptr(c.Execute), Catch: uintptr(c.Catch), Data: uintptr(c.Data)}
	s := dyn.Embed(function{}, code, in, out)
	if c.Execute == nil {
		s.Node().Reject("Call: the code is nil")
	}
	if in == nil || out == nil {
		s.Node().Reject("Call: the " + noCodec)
	}
	return composed[In, Out]{s}
}

// Func is a stage of a Go plan whose body calls C: body gets its steps, whose
// Binary C may use until body returns. What C adds are its sub-steps; out reads
// the values of the last one. body stays on its thread while it runs. A returned
// error fails the step; C must not have completed it then, nor added to it. FTN12 §2.2.1 binary.
func Func[In, Out any](body func(as Steps, in In) error, out *binval.Codec[Out]) step.Step[In, Out] {
	linked()
	whole := binval.Codec[In]{binval.AtCustom(func(v *In) *In { return v }, nil)}
	s := dyn.Embed(native[In]{body: body}, dyn.Code{}, &whole, out)
	if body == nil {
		s.Node().Reject("Func: the body is nil")
	}
	if out == nil {
		s.Node().Reject("Func: the " + noCodec)
	}
	return composed[In, Out]{s}
}

// native is a body of Go that calls C.
type native[In any] struct {
	catcher
	body func(Steps, In) error
}

func (n native[In]) Exec(s *dyn.Step, a *binval.Args) {
	in, err := binval.TakeCustom[In](&a[0])
	if err != nil {
		s.Fail(err)
		return
	}
	p := mate(s)
	if err := n.call(p, in); err != nil {
		p.replay(s, nil)
		s.Fail(err)
		return
	}
	p.replay(s, nil)
}

func (n native[In]) call(p *peer, in In) error {
	runtime.LockOSThread() // C tells by the thread whose code runs
	defer runtime.UnlockOSThread()
	C.ftn_enter(p.c, C.FTN_EXECUTING)
	defer C.ftn_leave(p.c)
	return n.body(Steps{p.binary()}, in)
}
