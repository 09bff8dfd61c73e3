package draw

import (
	"fmt"
	"io"
	"strings"

	"github.com/futoin-go/asyncsteps/flow"
)

// DOT writes t as a directed graph in the language of Graphviz. It returns the error of w, or an error
// that Is fault.InvalidRequest if t is nil. The text depends only on t and marks. Any number of
// goroutines may draw the same t.
func DOT(w io.Writer, t *flow.Tree, marks ...Marks) error { return dot.write(w, t, marks) }

var dot = language{
	head: `digraph plan {
charset="UTF-8"
node [fontname="Helvetica,Arial,sans-serif" fontsize=11 shape=box]
edge [fontname="Helvetica,Arial,sans-serif" fontsize=9 arrowsize=0.7]
`,
	begin: "subgraph cluster_%d {\nstyle=rounded color=gray\n",
	end:   "}\n",
	vertex: func(w io.Writer, index int, v vertex) {
		fmt.Fprintf(w, "n%d [label=\"%s\"%s%s]\n", index, dotText(v.lines), dotShapes[v.shape], dotStates[v.state])
	},
	edge: func(w io.Writer, e edge) {
		fmt.Fprintf(w, "n%d -> n%d", e.from, e.to)
		if e.style != solid || e.text != "" {
			fmt.Fprintf(w, " [style=%s label=\"%s\"]", dotStyles[e.style], e.text)
		}
		io.WriteString(w, "\n")
	},
	tail: "}\n",
}

var (
	dotShapes = [...]string{terminal: " style=rounded", box: "", answer: " shape=hexagon", meeting: " shape=point"}
	dotStates = map[State]string{
		Running: ` style=filled fillcolor="#bfe3c9" class=running`,
		Waiting: ` style=filled fillcolor="#ffdf99" class=waiting`,
		Failed:  ` style=filled fillcolor="#ffc9c2" penwidth=2 class=failed`,
	}
	dotStyles = [...]string{solid: "solid", dashed: "dashed", dotted: "dotted"}
)

// dotEscapes escapes the characters that would end a quoted label or have a meaning in it.
var dotEscapes = strings.NewReplacer(`"`, `\"`, `\`, `\\`, `&`, `&amp;`)

func dotText(lines []string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = dotEscapes.Replace(line)
	}
	return strings.Join(escaped, `\n`)
}
