// Package temporal runs the plans of package durable on Temporal, where many processes work on them:
//
//	err := temporal.Of(orders).Register(w)  // a worker of Temporal's SDK
//	engine := temporal.Engine(c, "orders")  // a client, and the task queue that the worker serves
//	run, err := orders.Start(ctx, engine, "order-17", Order{})
//
// The machine executes a plan inside of a workflow. The bodies of its step.Awaits are activities, which run on any worker of the
// task queue, unless [Workflow.Step] or [Workflow.LocalStep] says otherwise. When another worker takes a run over, the machine
// executes the plan again, and takes the recorded results of activities. A named flow.Call is a child workflow.
package temporal
