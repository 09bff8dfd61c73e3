// Package observe watches runs: what starts, waits, fails, is handled and ends,
// and when.
//
// An [Observer] is put into a context with [With]; the runs that are started
// with that context are observed, and so are the runs that their steps start
// with the context of their scope. For each run the observer gives a [Watch],
// which is told every [Event] of it. A run without one pays a nil test a step.
//
// # Paths name steps
//
// At any moment there is at most one live step of a given path in a run, so
// Event.Path tells which step an event belongs to; a loop runs the same paths
// again, one turn after the other.
package observe
