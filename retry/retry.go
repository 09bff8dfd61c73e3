package retry

import (
	"context"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Of runs s, and runs it again if it fails, as p says. Each attempt begins with the input of
// the retry; the result is that of the attempt that succeeds.
//
// Errors: the error of the last attempt goes on outwards, so handlers around find
// its code. The errors of the earlier attempts are in its Secondary: errors.Is and errors.As
// find them, and %+v prints them. After more than 33 failed attempts only the errors of the
// first and the latest ones are kept. An error that s handles inside doesn't count. Each
// attempt has been left entirely, with its hooks and cleanups, when the next one begins.
//
// Only errors of s are tried again. A cancel of the run, a timeout around the retry, a break
// or a continue of loopx are not: each of them also ends a pause at once and stops its timer.
// A timeout inside of s is an error like any other: limit one attempt with flow.Timeout around
// s, all of them with flow.Timeout around the retry. Inside the do of a flow.Undo and the acquire
// of a flow.Bracket, which end by themselves, no further attempt begins once the step is to be
// left, and a pause ends at once: the error of the last attempt goes on. Inside a flow.Shield
// the retry goes on, until it ends by itself or the grace is over.
//
// Concurrency: the pause is a timer of the run's loop and takes no goroutine. Allocation: nothing
// if the first attempt succeeds, except its context if a step asks for that, as step.Await does; a failed
// attempt keeps its error. A bad policy and a nil stage are reported by flow.Plan.Err, as
// fault.InvalidRequest with the place where the retry was built.
//
//spec:ftn12 §1.2; rules E1, C1, C3, L1
func Of[In, Out any](p Policy, s step.Step[In, Out]) flow.Plan[In, Out] {
	how, bad := p.tries()
	again := op.Retry(how, bad, op.Given(s, "retry.Of: the stage is nil"))
	again.Node().Tell(p.parameters)
	return flow.Of(again)
}

// OfAttempt is [Of] for a stage that depends on the number of the attempt, from 1:
// another server, a longer limit. choose is called on the loop as each attempt
// begins. Keep the stages that it returns in variables, because each new stage is
// compiled when it is first entered. A nil choose is reported by flow.Plan.Err. If
// choose returns a nil stage the attempt fails with fault.InvalidRequest, and if it
// panics with fault.InternalError.
//
//spec:ftn12 §1.2
func OfAttempt[In, Out any](p Policy, choose func(attempt int) step.Step[In, Out]) flow.Plan[In, Out] {
	var body func(as step.Scope, in In) step.Next[Out]
	if choose != nil {
		body = func(as step.Scope, in In) step.Next[Out] { return step.Into(as, choose(as.Attempt()), in) }
	}
	s := step.New(body)
	n := s.Stage().Node()
	n.Relabel("choose", "retry.OfAttempt: choose is nil")
	n.Calls(choose)
	return Of(p, s)
}

// Attempt returns the number of the attempt of the nearest retry around the step that ctx
// comes from: from 1, or 0 if there is no retry. It is for code that gets a context, as in
// step.Await; a body with a scope uses step.Scope.Attempt. Any goroutine may call it.
//
//spec:ftn12 §1.2
func Attempt(ctx context.Context) int { return op.AttemptOf(ctx).N() }
