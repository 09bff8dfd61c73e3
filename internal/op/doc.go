// Package op holds the ops: what each combinator does when the machine executes it.
//
// Most files hold the ops of one combinator, or of several that share them. Such a file mostly has the name of the file
// with the function for users: flow.Bracket is in flow/bracket.go, and its op is in bracket.go here. A constructor makes
// a stage of package plan, whose node emits the op. All runs of a plan share its ops: the state of one run is in cells
// that the op got from the emitter.
//
// Package dyn, whose steps have no types, makes ops too, and so does package step, for step.Func and step.New.
package op
