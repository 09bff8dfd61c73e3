//go:build go1.27

package flow

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// The methods in this file do what the functions of the same names do, for plans
// that read from left to right. They need Go 1.27, which allows type parameters of
// methods.

const zeroPlan = "the plan is the zero Plan"

// Then is the function [Then] as a method: p, followed by next with the result of p.
//
// There are no such methods for [Par], [ParEach] and others that put the types of p into a larger type: a
// method of Plan[In, Out] that returns a Plan[In, []Out] would make infinitely many types, which Go refuses
// as an instantiation cycle.
func (p Plan[In, Out]) Then[Next any](next step.Step[Out, Next]) Plan[In, Next] {
	return Plan[In, Next]{op.Then(op.Given(p, "Then: "+zeroPlan), op.Given(next, "Then: the next stage is nil"))}
}

// Catch is the function [Catch] as a method: p with an error handler.
func (p Plan[In, Out]) Catch(handler func(as step.Scope, err error) step.Next[Out]) Plan[In, Out] {
	return Plan[In, Out]{op.Catch(op.Given(p, "Catch: "+zeroPlan), handlerStage(handler))}
}

// CatchInput is the function [CatchInput] as a method: p with a handler that is also given the input of p.
func (p Plan[In, Out]) CatchInput(handler func(as step.Scope, in In, err error) step.Next[Out]) Plan[In, Out] {
	return Plan[In, Out]{op.CatchInput(op.Given(p, "CatchInput: "+zeroPlan), inputHandlerStage(handler))}
}

// Timeout is the function [Timeout] as a method: p with a time limit for all of it.
func (p Plan[In, Out]) Timeout(limit time.Duration) Plan[In, Out] {
	return Plan[In, Out]{op.Timeout(limit, op.Given(p, "Timeout: "+zeroPlan))}
}

// OnCancel is the function [OnCancel] as a method: p with a hook for when it is left in any
// way but success.
func (p Plan[In, Out]) OnCancel(hook func(as step.Scope)) Plan[In, Out] {
	return Plan[In, Out]{op.OnCancel(op.Given(p, "OnCancel: "+zeroPlan), hookStage(hook))}
}

// Shield is the function [Shield] as a method: p, which ends by itself, within the grace, before anything leaves it.
func (p Plan[In, Out]) Shield() Plan[In, Out] {
	return Plan[In, Out]{op.Shield(op.Given(p, "Shield: "+zeroPlan))}
}

// Saga is the function [Saga] as a method: p, whose steps of [Undo] are undone if it doesn't succeed.
func (p Plan[In, Out]) Saga() Plan[In, Out] {
	return Plan[In, Out]{op.Saga(op.Given(p, "Saga: "+zeroPlan))}
}

// Grace is the function [Grace] as a method: p with d as the time that its steps may take to end when they are to be left.
func (p Plan[In, Out]) Grace(d time.Duration) Plan[In, Out] {
	return Plan[In, Out]{op.Grace(d, op.Given(p, "Grace: "+zeroPlan))}
}

// Linger is the function [Linger] as a method: p, which is left at once and unwinds in the background, within a grace.
func (p Plan[In, Out]) Linger(grace time.Duration) Plan[In, Out] {
	return Plan[In, Out]{op.Linger(grace, op.Given(p, "Linger: "+zeroPlan))}
}

// On is the function [On] as a method: p on the loop of g that has the fewest runs.
func (p Plan[In, Out]) On(g *tool.Group) Plan[In, Out] { return on(g, op.Given(p, "On: "+zeroPlan)) }

// Named is the function [Named] as a method: p with a name. It names all of the plan so far;
// to name one step of many, name that step.
func (p Plan[In, Out]) Named(name string) Plan[In, Out] {
	return Plan[In, Out]{op.Named(name, op.Given(p, "Named "+name+": "+zeroPlan))}
}

// Call is the function [Call] as a method: p in memory of its own.
func (p Plan[In, Out]) Call() Plan[In, Out] {
	return Plan[In, Out]{op.Call(op.Given(p, "Call: "+zeroPlan))}
}

// Tap is the function [Tap] as a method: p, whose result is dropped and whose input is passed on. There is no
// such method for [Carry], see [Plan.Then].
func (p Plan[In, Out]) Tap() Plan[In, In] {
	return Plan[In, In]{op.Carry("tap", op.Given(p, "Tap: "+zeroPlan), func(in In, _ Out) In { return in })}
}

// Run is the function [Run] as a method: it executes p on the calling goroutine, which
// blocks until the run has ended.
func (p Plan[In, Out]) Run(ctx context.Context, in In) (Out, error) {
	return plan.Run(ctx, op.Given(p, "Run: "+zeroPlan), in)
}

// Start is the function [Start] as a method: it queues a run of p on loop.
func (p Plan[In, Out]) Start(ctx context.Context, loop tool.Tool, in In) *Running[Out] {
	return Start(ctx, loop, op.Given(p, "Start: "+zeroPlan), in)
}

// Describe is the function [Describe] as a method: p as data.
func (p Plan[In, Out]) Describe() *Tree { return Describe(p) }
