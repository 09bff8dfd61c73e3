package draw

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/futoin-go/asyncsteps/flow"
)

// DOT writes t as a directed graph in the language of Graphviz. It gives the
// error of w, and one that is fault.InvalidRequest if t is nil. The text depends
// on t alone. Any number of goroutines may draw the same t.
func DOT(w io.Writer, t *flow.Tree) error {
	if t == nil {
		return errNoTree
	}
	b := bufio.NewWriter(w) // it remembers the first error
	g := newGraph(t)
	io.WriteString(b, `digraph plan {
charset="UTF-8"
node [fontname="Helvetica,Arial,sans-serif" fontsize=11 shape=box]
edge [fontname="Helvetica,Arial,sans-serif" fontsize=9 arrowsize=0.7]
`)
	for _, m := range g.order {
		switch m.what {
		case frameBegin:
			fmt.Fprintf(b, "subgraph cluster_%d {\nstyle=rounded color=gray\n", m.index)
		case frameEnd:
			io.WriteString(b, "}\n")
		case vertexMark:
			v := g.vertices[m.index]
			fmt.Fprintf(b, "n%d [label=\"%s\"%s]\n", m.index, dotText(v.lines), dotShapes[v.shape])
		}
	}
	for _, e := range g.edges {
		fmt.Fprintf(b, "n%d -> n%d", e.from, e.to)
		if e.style != solid || e.text != "" {
			fmt.Fprintf(b, " [style=%s label=\"%s\"]", dotStyles[e.style], e.text)
		}
		io.WriteString(b, "\n")
	}
	io.WriteString(b, "}\n")
	return b.Flush()
}

var (
	dotShapes = [...]string{terminal: " style=rounded", box: "", answer: " shape=hexagon", point: " shape=point"}
	dotStyles = [...]string{solid: "solid", dashed: "dashed", dotted: "dotted"}
)

// dotEscapes keep text inside of a quoted label: the quote ends it, a backslash
// begins an escape, and an ampersand an entity of HTML.
var dotEscapes = strings.NewReplacer(`"`, `\"`, `\`, `\\`, `&`, `&amp;`)

func dotText(lines []string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = dotEscapes.Replace(line)
	}
	return strings.Join(escaped, `\n`)
}
