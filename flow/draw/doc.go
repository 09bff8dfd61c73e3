// Package draw makes pictures of plans: text for Mermaid, text for Graphviz, and
// SVG.
//
// A picture reads from top to bottom. A box with rounded ends is the input
// and what comes out; a box is a step, with its kind, its name, its path and its
// types. A frame surrounds what a step holds, with the step at its top: branches
// run side by side and meet in a point, a dashed arrow back is a loop. Dotted
// arrows lead to what answers an error or a cancel.
//
// What is drawn is a [flow.Tree], so it can as well be read from a file. Names
// may be any text: characters that mean something to Mermaid, Graphviz or HTML
// are written as what they are, unprintable ones as in Go source. Nothing
// recurses, so any plan can be written; what a person, or Graphviz, can still
// look at is some hundred steps.
//
// [Marks] set steps apart: where a run stands, where it waits, where it has failed.
//
// # Layout
//
// The package places nothing itself. Mermaid is laid out by whoever shows it: web
// pages of code hosts do. [SVG] runs the program dot of Graphviz, which has to be
// installed, and gives [ErrNoGraphviz] where it is not; to link a layout engine
// would make it a dependency of every user of package flow.
package draw
