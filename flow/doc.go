// Package flow composes stages into plans and runs them.
//
//	plan := flow.Then(parse, flow.Then(
//		flow.Par2(
//			flow.Timeout(time.Second, fetchPrice),
//			flow.Catch(fetchStock, unknownStock),
//		),
//		render,
//	))
//	page, err := flow.Run(ctx, plan, request)
//
// A [Plan] is an immutable value that is typed from end to end: a chain whose parts don't
// fit doesn't compile. The plan is compiled on first use, and the memory of its runs is pooled: most
// plans, run again by [Run], allocate nothing but results that are slices.
//
// [Run] executes a plan on the calling goroutine. [Start] puts a run on an event loop of package tool, where any
// number of runs live together. Either way a run takes a context.Context and ends once: with a value, with an error,
// or cancelled. By then its steps have been left: cancel hooks and cleanups have been called, branches have ended,
// goroutines of step.Await, and what was left in a [Linger], have ended or outlived their grace.
//
// Loops are in package loopx, mutexes and limits in package syncx.
//
//spec:ftn12 §1.1–1.5, §1.12–1.13, §2.2
package flow
