// Package draw makes pictures of plans: SVG, and texts for Mermaid and Graphviz.
//
// A picture reads from top to bottom. A box with rounded ends is the input or the result of the plan. The other
// boxes are steps, with their names and kinds, and handlers, hooks and undos, to which dotted arrows lead. A frame
// surrounds the steps and branches that a step holds. Branches stand side by side and meet below. A dashed arrow back
// is a loop; Mermaid draws it like a dotted one. In texts for Mermaid and Graphviz the box of a step also has its path
// and types; in SVG a tooltip has them.
//
// The functions draw a [flow.Tree], which may also have been read from a file. Names may be any text: characters that
// mean something to Mermaid, Graphviz or HTML are escaped, and unprintable ones are written as in Go source. No function
// recurses, so a plan of any size can be drawn, but a picture with more than a few hundred steps is hard to read. [Fold]
// makes a smaller picture of a larger plan.
//
// [Marks] set steps apart: where a run stands, where it waits, where it has failed.
//
// # Layout
//
// [SVG] places the steps itself. Plans are sequences and branches inside of each other, so lines don't cross. The
// nodes of a [flow.Graph] are the exception: they stand in levels, each below the nodes whose results it takes, and
// their lines may cross. Mermaid and Graphviz place the steps of their texts.
package draw
