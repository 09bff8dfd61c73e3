package explore

import (
	"context"
	"fmt"
	"strings"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Start is [flow.Start] on the loop of x. A failure of the trial then shows the plan.
func Start[In, Out any](ctx context.Context, x *Trial, plan step.Step[In, Out], in In) *flow.Running[Out] {
	x.plans = append(x.plans, shown(flow.Describe(plan)))
	n := x.begun
	run := flow.Start(x.numbered(x.watched(ctx)), x.loop, plan, in)
	if x.begun > n { // otherwise runs aren't numbered, or the run can't begin
		x.started(n, run.Cancel)
	}
	return run
}

// shown returns a line of text for each step, handler and hook of the plan, with its path.
func shown(plan *flow.Tree) string {
	var b strings.Builder
	for t := range plan.All() {
		if t.Role == flow.RolePlan || t.Role == flow.RoleBranch || t.Role == flow.RoleUndo {
			continue
		}
		fmt.Fprintf(&b, "\t%s %s", t.Path, t.Kind)
		if t.Name != "" {
			fmt.Fprintf(&b, " %q", t.Name)
		}
		if site := t.Site.String(); site != "" {
			fmt.Fprintf(&b, " (%s)", site)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
