// Package step makes the stages of a plan out of Go functions.
//
// There are four ways to write a stage:
//
//	step.Map(func(in In) Out)                                         // pure
//	step.Func(func(as step.Scope, in In) (Out, error))                // returning is the success
//	step.New(func(as step.Scope, in In) step.Next[Out])               // decides how it goes on
//	step.Await(func(ctx context.Context, in In) (Out, error))         // blocking code, on a goroutine
//
// [Do] is Await for a body that only returns an error: the step passes its input on. [Act] has no
// input either. [Delay] and [DelayBy] pause.
//
// Package flow composes stages and runs them. Bodies run on the event loop of their run, one at a
// time, so they need no locks for what belongs to the run; they must not block. Of the bodies of this
// package only those of Await, AwaitGrace, Do and Act run elsewhere.
//
// The [Scope] that a body is given lets it set a timeout or a cancel hook, keep state and allocate
// for the length of the step. The [Next] that a body of New returns is a value, an error, sub-steps
// ([Into]), or a wait for something outside ([Wait]). A step that has sub-steps can't also succeed or
// fail by itself: the types don't allow it.
//
//spec:ftn12 §1.1–1.7, §1.13–1.14, §2.1–2.2.2
package step
