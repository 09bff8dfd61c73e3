// Package script holds AsyncSteps programs as data, runs them through this
// module's public API, and compares what happened with what should have.
//
// A program is JSON: steps, handlers, loops, guards, and what each callback does. [Decode] reads one, [Run] executes it
// in virtual time and returns its [Trace], [Diff] finds the first difference between two traces. The format belongs to no language,
// so any implementation of FTN12 can run a program, and the traces can be compared.
//
// The package is also an example of moving code from the dynamic AsyncSteps API, where a callback adds sub-steps to its step, to
// the typed one, where it returns them: see the type call.
package script
