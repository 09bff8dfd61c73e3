// Package plan puts types on the untyped machine of package frame.
//
// A [Stage] is the typed face of a [Node], which is data: what a stage is,
// what it holds, and how its ops are emitted. A stage is compiled once, into levels
// of ops. They are immutable, and all runs share them. What belongs to one run
// is in the [frame.Activation] of each level that the run is in. Values move
// between steps without boxing: a [Cell] is a place in the activation, and the
// memory there was allocated with the type of the value (see layout).
//
// An op executes a step, see package op. This package knows where values are
// (cell.go, layout.go), turns nodes into levels (emitter.go, draft.go), describes the
// parts of a plan (describe.go), and begins its runs (run.go, start.go).
//
// Neither building, compiling nor describing a plan recurses.
package plan
