package step

import (
	"reflect"

	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Next tells how a step goes on. Bodies of [New] and handlers of flow.Catch return a Next. Make it with [Succeed], [Fail],
// [Into] or [Wait]; in handlers also with [Unwind], and in loops with Break and Continue of package loopx.
//
// A Next does nothing unless it is returned. A body that calls Fail and forgets the return
// compiles, and the error is lost: the step goes on as if Fail had not been called. The analyzer
// cmd/stepvet, described in docs/guide/vet.md, finds such calls.
//
// Returned by a body, the zero Next means success with the zero Out, or a wait if the body has
// set a timeout or a cancel hook. Returned by a handler, it is the same as Unwind.
//
// A Next made by Into or Wait belongs to the step whose scope it was made with: another step that returns it
// fails with InternalError.
//
//spec:ftn12 §1, §1.6, §2.1
type Next[Out any] struct {
	// how is one of the constants below; for into and wait it also holds the stamp of the
	// step.
	how   uint64
	value Out
	// via is the error for fail, the *frame.Activation for into, the starter for wait.
	via any
}

type starter[Out any] func(Done[Out])

const (
	implicit uint64 = iota
	succeed
	fail
	into
	wait
	unwind
)

const kinds = 7 // the bits that these constants use

// Succeed ends the step with v, if the body returns the result of Succeed: the call alone does
// nothing, see [Next].
//
//spec:ftn12 §2.2.2 success
func Succeed[Out any](v Out) Next[Out] { return Next[Out]{how: succeed, value: v} }

// Fail ends the step with err, which unwinds to the nearest handler. Out can't be inferred, so
// write it: step.Fail[int](err). In a handler it replaces the error, for the handlers further
// out. A nil err is a mistake and raises InternalError.
//
// The body has to return the result of Fail. Without the return the error is lost silently,
// see [Next].
//
//spec:ftn12 §2.2.2 error
func Fail[Out any](err error) Next[Out] { return Next[Out]{how: fail, via: err} }

// Unwind is the answer of an error handler that doesn't handle the error: the same error goes
// on outwards. Write its type: step.Unwind[int](). A body that returns it fails with InternalError.
//
//spec:ftn12 §2.1
func Unwind[Out any]() Next[Out] { return Next[Out]{how: unwind} }

// Into runs s as sub-steps, on an inner level, with in as their input. Their result is the
// step's result. Use package flow to make s of several steps.
//
// In an error handler the sub-steps take the place of the failed step. If they fail, the error
// goes outwards: this handler isn't asked again.
//
// If s can't be run, because it holds a nil body for example, the step fails with the error of flow.Plan.Err.
// The sub-steps use pooled memory of s: so build s once, outside of the body.
//
//spec:ftn12 §1.1, §1.2.1, §2.2.1 add; rule O2
func Into[A, Out any](as Scope, s Step[A, Out], in A) Next[Out] {
	stage, is := s.(*plan.Stage[A, Out]) // the constructors of this package return one
	if !is && !absent(s) {
		stage = s.Stage()
	}
	if stage == nil {
		return Fail[Out](as.ref.Invalid("Into was given a nil stage"))
	}
	level := stage.Level()
	if level == nil {
		return Fail[Out](as.ref.Refuse(stage.Err()))
	}
	sub, stamp := as.ref.Open(level)
	if sub == nil { // the step has ended
		return Fail[Out](as.Err())
	}
	plan.Give(sub, in)
	return Next[Out]{how: stamp | into, via: sub}
}

// absent reports whether s is nil or a nil pointer, such as a nil *flow.Plan: a call of its method would panic.
func absent(s any) bool {
	t := reflect.TypeOf(s)
	return t == nil || t.Kind() == reflect.Pointer && reflect.ValueOf(s).IsNil()
}

// Wait suspends the step until it is completed from outside, through the [Done] that begin is given.
// If the body returns the result of Wait, begin is called after that, once, on the loop; it starts
// whatever will complete the step and must not block.
//
// Without a timeout (Scope.SetTimeout, flow.Timeout) the step waits until it is
// completed or left. Use Scope.SetCancel in the body, or in begin, to stop
// the outside work when the step is cancelled or times out. A nil begin is
// allowed: then nothing completes the step, and it ends only when it is left, for example
// by a timeout or a cancel.
//
//spec:ftn12 §1.3, §2.2.2 waitExternal
func Wait[Out any](as Scope, begin func(done Done[Out])) Next[Out] {
	n := Next[Out]{how: as.ref.Stamp() | wait}
	if begin != nil {
		n.via = starter[Out](begin)
	}
	return n
}
