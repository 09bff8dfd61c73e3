// Package loopx runs a stage again and again: [Loop], [Repeat], [Each] and its companions for
// maps and iterators, and by the clock [Every] and [Schedule].
//
// A loop carries a typed value from iteration to iteration: the result of one iteration is
// given to the next, and the result of the last one is the result of the loop. Only [Every] and
// [Schedule] drop the results. An iteration is one execution of the body, which may be any stage,
// with sub-steps, waits and parallel branches of its own. A loop doesn't recurse and
// accumulates nothing, so it may run for ever.
//
// Bodies leave an iteration early by returning [Break] or [Continue]. [BreakTo] and [ContinueTo] take a [Label] and a value.
// All of them work at any depth: in sub-steps, handlers, parallel branches and inner loops, but not, for example, from inside
// of a flow.On or a flow.Linger to a loop around it. Break and continue aren't errors: no handler sees them. The steps that
// they leave are cancelled properly: cancel hooks and cleanups run, and so do those of the siblings of a parallel branch. If
// such a sibling was failing, its error is dropped; a panic in its hook or cleanup, and a goroutine that it leaves behind,
// are reported to the error handler of the event loop. Outside of a loop, or with a label that no loop around has, Break and
// its companions fail the step with InternalError.
//
//spec:ftn12 §1.8, §2.2.4
package loopx
