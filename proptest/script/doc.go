// Package script holds AsyncSteps programs as data, runs them through this
// module's public API, and compares what happened with what should have.
//
// A program comes as JSON: steps, handlers, loops, guards, and what each
// callback does. [Decode] reads one, [Run] executes it in virtual time and
// gives its [Trace], [Diff] finds where two traces part. The format belongs to
// no language, so a program can be run by any implementation of FTN12 and the
// traces compared.
//
// It is also an example: of how code written for the dynamic AsyncSteps API,
// where a callback adds sub-steps to the step it is in, is brought to this
// one, where it returns them. [call] is that bridge.
package script
