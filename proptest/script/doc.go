// Package script holds AsyncSteps programs as data, runs them through this
// module's public API, and compares what happened with what was expected.
//
// A program is JSON: steps, handlers, loops, guards, and what each callback does. [Decode] reads a program, [Run] executes it
// in virtual time and returns its [Trace], [Diff] finds the first difference between two traces. The format isn't tied to a
// language, so any implementation of FTN12 can run a program, and the traces can be compared.
//
// The package is also an example of moving code from the dynamic AsyncSteps API to the typed one: see the type call. In the dynamic
// API a callback adds sub-steps to its step; in the typed one it returns them.
package script
