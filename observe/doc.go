// Package observe watches runs: what starts, waits, fails, is handled and ends, and when.
//
// An [Observer] is put into a context with [With]; the runs that are started with that context are observed, and so are the
// runs that their steps start with the context of their scope. For each run the observer gives a [Watch], which is told each
// [Event] of that run.
//
// # Observers
//
// These are ready for use, alone or several at once:
//
//   - [Log] writes events to a logger of log/slog.
//   - [Flight] attaches the last events of a run to its error, for %+v, if it ends
//     by a timeout, a refusal of a guard or a panic.
//   - [Trace] makes runs tasks of runtime/trace, for "go tool trace".
//   - [Profile] labels CPU profiles with plan and step.
//   - [Recorder] keeps events; package observe/timeline draws them.
//
// Streams of package stream report how far each of their stages has got, as the event [Progress].
//
// Flight is meant to be always on, unless the steps are so short that its cost matters. Log, Trace and
// Profile are for times when somebody looks: Log and Trace don't watch a run that starts while their
// output is off.
//
// # Attributes
//
// [WithAttrs] and [SetAttrs] attach attributes to a run, such as an order number or the ID of
// a trace. Log writes them, the spans of package observe/otel have them, and the pages of
// package debug find runs by them.
//
// # Paths name steps
//
// At any moment a run has at most one live step with a given path, so Event.Path tells
// which step an event belongs to. The middle of a path with more than 64 levels is left out, so
// two such paths may be equal. A loop runs steps with the same paths again in each iteration.
package observe
