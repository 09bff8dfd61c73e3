// Package retry runs a stage again if it fails, as a [Policy] says: see [Of].
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
// Code that runs in a retry can ask which attempt it is part of: by step.Scope.Attempt, or, if it
// has a context, by [Attempt]. Observers get the number from observe.Event.Attempt.
package retry
