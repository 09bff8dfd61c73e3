// Package laws holds the laws of docs/internals/laws.md as property tests.
//
// A program is a plan as data, with the constructs of the typed API. It is
// drawn at random, built into a real plan, and run in virtual time under
// schedules that are drawn as well: which callback goes first, which branch,
// when the run is cancelled, when answers come from outside. Bodies, handlers,
// hooks, cleanups and guards write lines into a trace.
//
// The oracle is a naive recursive interpreter of programs that doesn't use the machine. Where the semantics leave the
// order open, between the branches of a parallel step, it accepts every order: it checks whether it can produce the
// trace. Many other laws look at the trace alone, compare two programs that have to be equal, or have a small model of their own.
package laws
