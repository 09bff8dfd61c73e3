package step

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/internal/op"
)

// Await makes a step of ordinary blocking Go code: body runs on a goroutine of
// its own, while the loop goes on with other steps.
//
// ctx carries the values of the run's context and is cancelled when the step is
// – by a timeout, a cancel of the run, a failed sibling – with the reason as
// its cause; body should return soon then, its result is dropped. Its
// Deadline is that of Scope.Context. The step
// ends when body has returned, or when the grace of the loop has passed since the
// cancel, tool.DefaultGrace unless Options.Grace of the loop says otherwise: a
// goroutine that ignores its context is then left behind and reported, to the error
// handler of the loop and in Secondary of the run's error. [AwaitGrace] sets
// the grace of one step.
//
// A loop may take body instead, and have it done elsewhere: see tool.WithWork. One that is
// deterministic and doesn't fails the step with InternalError.
//
// body must not use a Scope. An error fails the step, a panic or
// runtime.Goexit fails it with InternalError. A nil body is reported as that of
// [Map].
//
// Spec: FTN12 §1.13, §2.2.1 await; rules C8, C7.
func Await[In, Out any](body func(ctx context.Context, in In) (Out, error)) Step[In, Out] {
	return stage[In, Out]{op.Await(0, body)}
}

// AwaitGrace is [Await] with a grace of its own, whatever that of the loop is: how
// long the step waits for body to return after it was told to stop. Give a body more that
// needs time to put things in order, less if nothing depends on its end. Below
// zero the step waits as long as it takes: then nothing is ever left behind, but a body that
// ignores its context holds the run, and the shutdown of its loop, for ever.
// Zero stands for the grace of the loop, as with Await. The time is that of the loop's clock,
// which is virtual in tooltest; it counts from the moment that body is told.
//
// A limit around the step doesn't shorten its grace. All else is as for Await. FTN12
// §1.13, §2.2.1 await.
func AwaitGrace[In, Out any](grace time.Duration, body func(ctx context.Context, in In) (Out, error)) Step[In, Out] {
	s := op.Await(grace, body)
	s.Node().Relabel("await", "step.AwaitGrace: the body is nil")
	return stage[In, Out]{s}
}
