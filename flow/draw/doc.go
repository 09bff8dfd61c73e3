// Package draw makes pictures of plans: SVG, text for Mermaid, and text for
// Graphviz.
//
// A picture reads from top to bottom. A box with rounded ends is the input
// or the result; a box is a step, with its name and kind. A frame surrounds what a
// step holds: branches run side by side and meet, a dashed arrow back is a loop. Dotted
// arrows lead to handlers, hooks and undos. Texts for Mermaid and Graphviz
// have path and types in each box; in SVG a tooltip has them.
//
// What is drawn is a [flow.Tree], so it can as well be read from a file. Names
// may be any text: characters that mean something to Mermaid, Graphviz or HTML
// are written as what they are, unprintable ones as in Go source. Nothing
// recurses, so any plan can be written, but a person can look at some hundred
// steps at most. [Fold] makes a smaller picture of a larger plan.
//
// [Marks] set steps apart: where a run stands, where it waits, where it has failed.
//
// # Layout
//
// [SVG] places the steps itself: plans are sequences and branches inside of each other, so the
// size of a part depends on what it holds alone, and no lines cross. The nodes of a
// [flow.Graph] are in levels, each below those that it takes from. Mermaid and Graphviz
// place the steps of their texts.
package draw
