// Package loopx runs a stage again and again: [Loop], [Repeat], [Each] and its
// companions for maps and iterators.
//
// A loop carries a typed value from iteration to iteration: the result of one iteration is
// what the next begins with, and the last one's is the result of the loop. A
// iteration is one execution of the body: any stage, with sub-steps, waits and
// parallel branches of its own. Nothing recurses and nothing accumulates, so a
// loop may run for ever.
//
// Bodies leave an iteration early by returning [Break] or [Continue], or with a
// [Label] and a value [BreakTo] and [ContinueTo], from any depth: from
// sub-steps, handlers, parallel branches and inner loops. These are no errors:
// no handler sees them. What they leave is left properly: cancel hooks,
// cleanups, siblings of a parallel branch. An error that such a sibling was
// failing with is left with it; a panic in its hook or cleanup, and a goroutine
// that it leaves behind, go to the loop's error handler (P5). Outside of such a
// loop they fail the step with InternalError.
//
// FTN12 §1.8, §2.2.4.
//
// FTN12 is the specification at
// https://specs.futoin.org/final/preview/ftn12_async_api-1.10.html;
// a § names one of its sections. A letter and a number, like C3, name a
// rule of docs/semantics.md in the repository.
package loopx
