// Package observe watches runs: what starts, waits, fails, is handled and ends,
// and when.
//
// An [Observer] is put into a context with [With]; the runs that are started
// with that context are observed, and so are the runs that their steps start
// with the context of their scope. For each run the observer gives a [Watch],
// which is told every [Event] of it. A run without one pays a nil test a step.
//
// # Observers
//
// These are ready for use, alone or several at once:
//
//   - [Log] writes events to a logger of log/slog.
//   - [Flight] attaches the last events of a run to its error, for %+v, if it ends
//     by a timeout, a full queue or a panic.
//   - [Trace] makes runs tasks of runtime/trace, for "go tool trace".
//   - [Profile] labels CPU profiles with plan and step.
//   - [Recorder] keeps events; package observe/timeline draws them.
//
// Being observed costs a step some hundred nanoseconds, so Flight can always be
// on where steps do more than compute a little. Log, Trace and Profile are for
// those who look: the first two cost a run next to nothing while nobody does.
//
// # Attributes
//
// [WithAttrs] and [SetAttrs] say what a run is about: an order number, the ID of a
// trace. Log writes them, the spans of package observe/otel have them, and the pages
// of package debug find runs by them.
//
// # Paths name steps
//
// At any moment there is at most one live step of a given path in a run, so
// Event.Path tells which step an event belongs to; a loop runs the same paths
// again, one turn after the other.
package observe
