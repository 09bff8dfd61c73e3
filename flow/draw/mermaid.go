package draw

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/futoin-go/asyncsteps/flow"
)

// Mermaid writes t as a flowchart of Mermaid, which many code hosts and editors show from a ```mermaid block. It
// returns the error of w, or an error that Is fault.InvalidRequest if t is nil. The text depends only on t and marks.
// Any number of goroutines may draw the same t.
func Mermaid(w io.Writer, t *flow.Tree, marks ...Marks) error { return mermaid.write(w, t, marks) }

var mermaid = language{
	head:  "flowchart TD\n",
	begin: "subgraph f%d [\" \"]\n",
	end:   "end\n",
	vertex: func(w io.Writer, index int, v vertex) {
		outline := mermaidShapes[v.shape]
		fmt.Fprintf(w, "n%d%s\"%s\"%s\n", index, outline[0], mermaidText(v.lines), outline[1])
		if style, marked := mermaidStates[v.state]; marked {
			fmt.Fprintf(w, "style n%d %s\n", index, style)
		}
	},
	edge: func(w io.Writer, e edge) {
		text := ""
		if e.text != "" {
			text = "|" + e.text + "|"
		}
		fmt.Fprintf(w, "n%d %s%s n%d\n", e.from, mermaidArrows[e.style], text, e.to)
	},
}

var (
	mermaidShapes = [...][2]string{
		terminal: {"([", "])"}, box: {"[", "]"}, answer: {"{{", "}}"}, meeting: {"((", "))"},
	}
	mermaidStates = map[State]string{
		Running: "fill:#bfe3c9,color:#000",
		Waiting: "fill:#ffdf99,color:#000",
		Failed:  "fill:#ffc9c2,color:#000,stroke-width:2px",
	}
	// Mermaid has only one kind of broken line, so the text of the arrow shows whether it is a loop or leads to an answer.
	mermaidArrows = [...]string{solid: "-->", dashed: "-.->", dotted: "-.->"}
)

// mermaidText writes lines as the inside of a quoted label.
//
// Mermaid reads labels as Markdown and as HTML, and looks for directives, comments and styles before it looks for
// quotes. So letters, digits, spaces, slashes and commas are the only characters of ASCII that mermaidText keeps. It writes
// the others, even dots, as Mermaid's entities, which are resolved last: a name that begins with "www." or "1." would become
// a link or a list. Outside of ASCII it writes U+FB02 and the pilcrow as entities, because Mermaid uses both for its own
// entities.
func mermaidText(lines []string) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteString("<br>")
		}
		for _, r := range line {
			if harmless(r) {
				b.WriteRune(r)
			} else {
				fmt.Fprintf(&b, "#%d;", r)
			}
		}
	}
	if b.Len() == 0 {
		return " " // a label may not be empty
	}
	return b.String()
}

func harmless(r rune) bool {
	if r > unicode.MaxASCII {
		return r != 'ﬂ' && r != '¶'
	}
	return r == ' ' || r == '/' || r == ',' || unicode.IsLetter(r) || unicode.IsDigit(r)
}
