// Package durable runs plans so that their runs survive crashes and may last for days. A plan gets a name, under which an engine
// keeps its runs. Package durable/temporal keeps them on Temporal, where many processes work on them; package durable/sqlite keeps
// them in a file, for one process.
//
//	var orders = durable.New("orders", plan,
//		durable.Also("refund", refund),
//		durable.Errors(map[string]error{"declined": ErrDeclined}))
//
//	err := temporal.Of(orders).Register(w)                     // a Temporal worker
//	engine := temporal.Engine(c, "orders")                     // a Temporal client, and a task queue
//	run, err := orders.Start(ctx, engine, "order-17", Order{})
//	receipt, err := run.Wait(ctx)
//
// # What is promised
//
// The plan is executed by the same machine as with flow.Start, on a loop that is driven by the engine. The engine calls the bodies
// of step.Await, and of steps made of it such as step.Do and flow.AwaitChan: on Temporal they are activities, which run on any
// worker of the task queue. Everything else is repeated when an engine loads the run, for example on another worker: the machine
// executes the plan again and takes the recorded results of bodies. A flow.Call with a name is a run of its own.
//
//   - The body of a step.Await is called again if its worker or its result is lost. [Key] returns a name of the call that stays the
//     same, for services that recognise repeats.
//   - An error that a body returns goes to the plan: retry, flow.Catch and flow.Saga see it. The plan doesn't notice a lost worker.
//     If a body returns an error after the engine, and not the plan, has ended the context of the body, the body is called again.
//   - Bodies of step.Map, step.Func, step.New, handlers, hooks and cleanups are repeated, so they
//     must be deterministic: no clock but step.Scope.Now, no random numbers but those of the
//     loop's Host, no goroutines, no effects. Engines other than [Local] refuse the completion of a step.Wait by a goroutine.
//
// # Without a server
//
// [Local] gives the same API on a loop of this process. Nothing is stored: runs end with the process. Use it for development,
// for tests, and in programs that use Temporal only sometimes.
//
// # What can't be durable
//
// [Workflow.Err] reports these, with the path of the step if one is to blame: sections of guards, and stages of streams with
// goroutines, which belong inside of a body; values kept by package share, and the delays that flow.HedgeSlow learns, which
// live in one process; inputs and results of bodies that can't be stored; two plans with one name. Steps that a body enters with
// step.Into are not part of the plan. If there is a step.Await among them, name them with [Also]; without a name the step.Await
// fails, except on [Local], with an error that tells where it was built.
package durable
