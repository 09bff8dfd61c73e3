package step

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Await makes a step of ordinary blocking Go code: body runs on another goroutine, while
// the loop goes on with other steps.
//
// ctx carries the values of the run's context. It is cancelled with the step, for example by a timeout, a
// cancel of the run or a failed sibling, and its cause is the reason. body should then return soon. The result of
// body is dropped, unless body returns before the loop has begun to cancel the step. In that case a value may count,
// so a body that was stopped halfway must return an error.
//
// The deadline of ctx is that of Scope.Context. A body that passes this deadline on, for example to
// net.Conn.SetDeadline, may fail at the deadline just before the step is cancelled; then the step fails with the
// body's error, not with fault.Timeout.
//
// A cancelled step ends when body has returned, or when its grace has passed since the cancel. The grace is
// that of the nearest flow.Grace around the step, or else that of the loop: Options.Grace, or
// tool.DefaultGrace. [AwaitGrace] sets the grace of one step. A goroutine that ignores its context for longer
// is left behind. That is reported to the error handler of the loop, and is in Secondary of the error or cancel, if
// there is one.
//
// Unless the run is observed, bodies of the same loop may share a goroutine, one after the other. A
// body that changes its goroutine, by runtime.LockOSThread or pprof.SetGoroutineLabels, must change it back.
//
// A loop may take over body and execute it elsewhere: see tool.WithWork. On a deterministic
// loop that doesn't take over body, the step fails with InternalError.
//
// body must not use a Scope. An error of body fails the step. A panic or runtime.Goexit in body fails
// the step with InternalError. A nil body is reported as for [Map].
//
//spec:ftn12 §1.13, §2.2.1 await; rules C8, C7
func Await[In, Out any](body func(ctx context.Context, in In) (Out, error)) Step[In, Out] {
	return op.Await(0, body)
}

// AwaitGrace is [Await] with a grace of its own: how long the step waits for body to return after it was told
// to stop. Give more time to a body that has to tidy up, less if nothing depends on its end. With a grace below
// zero the step waits as long as body takes: a body that ignores its context then keeps the run, and the
// shutdown of the loop, from ending. With a grace of zero the step has the same grace as a step of Await. The grace
// counts from the moment when body is told to stop, by the clock of the loop, which is virtual in tooltest.
//
// A limit around the step doesn't shorten its grace. Everything else is as for Await.
//
//spec:ftn12 §1.13, §2.2.1 await; rule C8
func AwaitGrace[In, Out any](grace time.Duration, body func(ctx context.Context, in In) (Out, error)) Step[In, Out] {
	s := op.Await(grace, body)
	s.Node().Relabel("await", "step.AwaitGrace: the body is nil")
	s.Node().Tell(func() []plan.Parameter { return []plan.Parameter{plan.AtMost("grace", grace)} })
	return s
}
