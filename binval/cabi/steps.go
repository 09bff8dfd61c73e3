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

// Steps is a FutoInAsyncSteps* of this or of a foreign engine, for use in Go. It is valid as long as the pointer.
//
//spec:ftn12 §2.2.1
type Steps struct{ p unsafe.Pointer }

// Wrap makes Steps of a FutoInAsyncSteps*. Stages that are added to Steps of a foreign engine run inside that engine. A
// nil pointer, or one without a function table, is an InvalidRequest.
//
//spec:ftn12 §2.2.1 wrap
func Wrap(p unsafe.Pointer) (Steps, error) {
	linked()
	if p == nil || (*C.FutoInAsyncSteps)(p).api == nil {
		return Steps{}, fault.New(fault.InvalidRequest, "Wrap: the pointer has no function table")
	}
	return Steps{p}, nil
}

// Binary returns the FutoInAsyncSteps*.
//
//spec:ftn12 §2.2.1 binary
func (as Steps) Binary() unsafe.Pointer { return as.p }

// Foreign reports whether the steps belong to another engine.
func (as Steps) Foreign() bool { return as.p != nil && as.c().api != &C.ftn_table }

// Valid reports whether the pointer may be used now.
//
//spec:ftn12 §2.2.1 boolean cast
func (as Steps) Valid() bool { return as.p != nil && C.ftn_valid(as.c()) != 0 }

// Free calls free of the table for a pointer of this engine; it does nothing for other pointers.
func (as Steps) Free() {
	if as.p != nil && !as.Foreign() {
		C.ftn_release(as.c())
	}
}

func (as Steps) c() *C.FutoInAsyncSteps { return (*C.FutoInAsyncSteps)(as.p) }

// plans holds the stages that recorded calls of Add refer to.
var plans binval.Handles[dyn.Typed]

// Add adds a stage of Go as the next step. in decodes the values of the previous step into the input of the stage, and out encodes its
// result. Errors of the stage go to the handlers of the steps around it, as code and info where those are foreign. If the engine is
// foreign, a stage that breaks a loop outside of itself fails.
//
// Call Add where C may call add of the table; see the package documentation. Elsewhere, if the engine notices that, Add fails with
// InvalidRequest and adds nothing. It also fails for a stage that can't be run, and for a nil codec.
//
//spec:ftn12 §2.2.1 add
func Add[In, Out any](as Steps, in *binval.Codec[In], s step.Step[In, Out], out *binval.Codec[Out]) error {
	stage := plan.StageOf(s)
	switch {
	case stage == nil:
		return fault.New(fault.InvalidRequest, "Add: the stage is nil")
	case in == nil || out == nil:
		return fault.New(fault.InvalidRequest, "Add: the "+noCodec)
	}
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

const noCodec = "codec is nil; one without fields is &binval.Codec[struct{}]{}"

var errNotNow = fault.New(fault.InvalidRequest, "Add: steps can't be added to this pointer now")

// Code is the code of a step in C.
//
//spec:ftn12 §2.7.2
type Code struct {
	Execute unsafe.Pointer // FutoInAsyncSteps_execute_callback
	Catch   unsafe.Pointer // FutoInAsyncSteps_error_callback, or nil
	Data    unsafe.Pointer // given to both; not a pointer to Go memory
}

type composed[In, Out any] struct{ s *plan.Stage[In, Out] }

func (c composed[In, Out]) Stage() *plan.Stage[In, Out] { return c.s }

// Call returns a stage of a Go plan that executes a step of C: in encodes its arguments, out decodes its result. The
// steps that C adds run on the loop of the run. An error of C is a [fault.Error], and an error of Go that passes
// through C unchanged stays the same error.
//
//spec:ftn12 §2.2.1 add, binary
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

// Func returns a stage of a Go plan whose body calls C. While body runs, C may use the Binary of the steps that body gets as the code of
// a step in C does; what C adds are sub-steps of the stage, and out decodes the result. body stays on its thread. If body returns an
// error the step fails. In that case C must neither have completed the step nor added to it.
//
//spec:ftn12 §2.2.1 binary
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
	runtime.LockOSThread() // C knows by the thread which step's code is running
	defer runtime.UnlockOSThread()
	outer := C.ftn_enter(p.c, C.FTN_EXECUTING)
	defer C.ftn_leave(p.c, outer)
	return n.body(Steps{p.binary()}, in)
}
