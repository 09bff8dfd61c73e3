// Package op says what each combinator does when the machine executes it.
//
// A file has the ops of one combinator and is named like its face: flow.First is in
// flow/first.go, its op in first.go here. A constructor makes a stage of package
// plan, whose node emits the op. An op is immutable and shared by all runs: what it
// knows of one run is in the cells that it has asked the emitter for.
//
// Nobody else implements frame.Op, but for two: package dyn, whose steps have no
// types, and the two steps of package step whose bodies are given a step.Scope
// (step.Func and step.New).
package op
