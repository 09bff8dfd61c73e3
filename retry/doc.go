// Package retry runs a stage again if it fails: [Of], as a [Policy] says.
//
//	var load = retry.Of(retry.Policy{
//		Tries: 5,
//		Pause: 100 * time.Millisecond, Factor: 2, MaxPause: 5 * time.Second, Jitter: 1,
//	}, fetch)
//
// A retry is a step of the plan: it has a path, a name and a place in pictures. It
// waits on the timer of the run's loop, so pauses cost no goroutine and take no
// time in a test on a tooltest.Loop, which draws the same jitter each time.
//
// What runs in a retry can ask which attempt it is: step.Scope.Attempt, and
// [Attempt] with a context. Observers get it from observe.Event.Attempt.
//
// FTN12 has no such step; it is made of the error handlers of §1.2 and the
// timers of §2.6.
//
// FTN12 is the specification at
// https://specs.futoin.org/final/preview/ftn12_async_api-1.10.html;
// a § names one of its sections. A letter and a number, like C3, name a
// rule of docs/semantics.md in the repository.
package retry
