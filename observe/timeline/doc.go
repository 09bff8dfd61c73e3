// Package timeline draws what an [observe.Recorder] has recorded: which step ran
// when, how long it waited for something outside or in the queue of a guard, how
// often it ran again, and what went wrong.
//
// [WriteSVG] makes a picture, [WriteHTML] a page with that picture and tables of
// figures, and [WriteTrace] a file for the viewers of the trace event format,
// such as ui.perfetto.dev and chrome://tracing.
//
// The picture has one row per step, in the order of the plan; steps inside others are indented. A step that runs again, because
// a loop or a retry holds it, has a bar for each time in the same row. All runs share one scale, so a picture of several runs
// shows who waited for whom. Details are shown when the pointer rests on a bar.
//
// Steps that take no time still have a bar that can be seen: within one or two
// pixels the picture isn't to scale.
//
// All functions may be called from any goroutine, even on recordings of runs that
// still go on. Names and errors may be any text: it is escaped, and what can't be
// printed is written as in Go source. The size of the output is bounded only by
// what the recorder keeps; a person can look at some hundred steps.
package timeline
