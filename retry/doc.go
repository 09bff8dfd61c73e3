// Package retry runs a stage again if it fails: [Of], as a [Policy] says.
//
//	var load = retry.Of(retry.Policy{
//		Tries: 5,
//		Pause: 100 * time.Millisecond, Factor: 2, MaxPause: 5 * time.Second, Jitter: 1,
//	}, fetch)
//
// A retry is a step of the plan: it has a path, a name and a place in pictures. It waits on a
// timer of the run's loop, so pauses cost no goroutine. In a test on a tooltest.Loop they take
// no time, and the jitter is the same in each execution.
//
// What runs in a retry can ask which attempt it is: step.Scope.Attempt, and [Attempt] with a
// context. Observers get it from observe.Event.Attempt.
//
// FTN12 is the specification at
// https://specs.futoin.org/final/preview/ftn12_async_api-1.10.html; it has no retry, which is
// made of its error handlers, §1.2, and timers, §2.6. A § names one of its sections. A letter
// and a number, like C3, name a rule of docs/internals/semantics.md in the repository.
package retry
