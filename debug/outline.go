package debug

import (
	"fmt"
	"slices"
	"strings"

	"github.com/futoin-go/asyncsteps/flow"
)

// maxIndent keeps the lines of deeply nested plans readable.
const maxIndent = 30

// outline is plan as text, a line for each part.
func outline(plan *flow.Tree) string {
	type part struct {
		*flow.Tree

		depth int
	}
	var b strings.Builder
	for todo := []part{{plan, 0}}; len(todo) > 0; {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		b.WriteString(strings.Repeat("  ", min(p.depth, maxIndent)))
		b.WriteString(p.Kind)
		switch {
		case p.Name != "":
			fmt.Fprintf(&b, " %q", p.Name)
		case p.Func != "":
			b.WriteString(" " + p.Func)
		}
		if p.Role == flow.RoleStep {
			b.WriteString(strings.TrimRight("  "+p.Path+"  "+p.Site.String(), " "))
		}
		b.WriteByte('\n')
		for _, held := range slices.Backward(p.Holds) {
			todo = append(todo, part{held, p.depth + 1})
		}
	}
	return b.String()
}
