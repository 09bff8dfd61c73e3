// Package op holds the ops: what each combinator does when the machine executes it.
//
// A file holds the ops of one combinator, or of several that share them. Most are named like the file in
// which users find it: flow.First is in flow/first.go, its op in first.go here. A constructor makes a stage
// of package plan, whose node emits the op. All runs share an op: the state of one run is in cells that the
// op got from the emitter.
//
// Only two other packages make ops: package dyn, whose steps have no types, and
// package step, for the two steps whose bodies are given a step.Scope (step.Func and
// step.New).
package op
