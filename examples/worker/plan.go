package main

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// polling is the outermost loop. Each iteration rests first; its input is how long.
var polling = loopx.NewLabel[time.Duration]("polling")

// plan makes the plan of the worker, which runs until it is asked to stop or fails:
//
//	polling: rest ── list ── each file: tries ── settle
func (w *worker) plan() step.Step[time.Duration, time.Duration] {
	judged := flow.Then(flow.Carry(w.tries()), step.Map(judge)) // judge gets the name and the result of tries
	settled := flow.Then(flow.Then(step.Map(name), judged), step.Await(w.spool.settle))
	each := loopx.Each(flow.Then(settled, step.Map(w.count)))
	names := flow.Then(step.Await(w.rest), step.Await(w.spool.list))
	turn := flow.Then(flow.Then(names, each), flow.Value[struct{}](w.poll))
	return loopx.Labelled(polling, loopx.Loop(flow.Then(unlessAsked[time.Duration](w.stop), turn)))
}

// tries returns a step that delivers the file whose name it gets, and tries again if that fails. Its result is the reason why the
// file couldn't be delivered, or "".
//
//	retry: throttle ── post
func (w *worker) tries() step.Step[string, string] {
	call := flow.Named("call", flow.Timeout(w.limit, step.Await(w.post)))
	throttled := syncx.Sync(syncx.NewThrottle(w.rate, time.Second, 1), call)
	try := flow.Then(flow.Then(unlessAsked[string](w.stop), throttled), flow.Value[struct{}](""))
	tried := retry.Of(retry.Policy{Tries: w.attempts}, flow.CatchInput(try, w.failed))
	return flow.Catch(tried, func(_ step.Scope, err error) step.Next[string] { return step.Succeed(err.Error()) })
}

// unlessAsked passes its input on, or leaves all loops if stop has ended.
func unlessAsked[T any](stop context.Context) step.Step[T, T] {
	return step.New(func(_ step.Scope, in T) step.Next[T] {
		if stop.Err() != nil {
			return loopx.BreakTo[T](polling, 0)
		}
		return step.Succeed(in)
	})
}

// failed decides what follows a failed call: another attempt, the next file, or a rest for all files.
func (w *worker) failed(_ step.Scope, name string, err error) step.Next[string] {
	switch {
	case errors.Is(err, refused):
		return step.Succeed(err.Error())
	case errors.Is(err, fault.ConnectError), errors.Is(err, fault.DefenseRejected):
		w.say("all later, for %s: %v", name, err)
		return loopx.ContinueTo[string](polling, w.patience)
	case errors.Is(err, fs.ErrNotExist):
		w.say("gone %s", name)
		return loopx.ContinueTo[string](polling, w.poll)
	case errors.Is(err, unread):
		w.say("left %s: %v", name, err)
		return loopx.Continue[string]()
	default:
		w.say("failed %s: %v", name, err)
		return step.Unwind[string]()
	}
}

func name(file loopx.Item[int, string, struct{}]) string { return file.Value }

func judge(tried flow.Pair[string, string]) verdict { return verdict{tried.A, tried.B} }
