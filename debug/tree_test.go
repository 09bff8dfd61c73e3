package debug

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
)

func node(kind, path string, holds ...*flow.Tree) *flow.Tree {
	role := flow.RoleStep
	if kind == "branch" {
		role = flow.RoleBranch
	}
	return &flow.Tree{Kind: kind, Path: path, Role: role, Holds: holds}
}

func outlined(holds ...*flow.Tree) *planOutline {
	o := &planOutline{tree: &flow.Tree{Kind: "plan", Role: flow.RolePlan, Holds: holds}, steps: make(map[string]*flow.Tree)}
	o.list()
	return o
}

// lines returns the rows as indented text. It fails if an opened row isn't closed.
func lines(t *testing.T, rows []treeRow) (all []string) {
	t.Helper()
	depth := 0
	for _, r := range rows {
		line := strings.Repeat("  ", depth) + r.Kind + " " + r.Path
		if r.Left > 0 {
			line = strings.Repeat("  ", depth) + fmt.Sprint("+", r.Left)
		}
		if r.Mark != nil {
			line += " " + string(r.Mark.State)
		}
		if r.Inside > 0 {
			line += fmt.Sprint(" inside ", r.Inside)
		}
		if r.Holds && !r.Open {
			line += " folded"
		}
		all = append(all, line)
		if r.Holds {
			depth++
		}
		depth -= r.Close
	}
	if depth != 0 {
		t.Errorf("%d rows aren't closed", depth)
	}
	return all
}

func TestTree(t *testing.T) {
	o := outlined(
		node("par", "0", node("branch", "0/par.0", node("func", "0/par.0/0")), node("branch", "0/par.1", node("func", "0/par.1/0"))),
		node("map", "1"),
	)
	want := []string{
		"plan  inside 1", "  par 0 inside 1", "    branch 0/par.0", "      func 0/par.0/0", "    branch 0/par.1 inside 1",
		"      func 0/par.1/0 waiting", "  map 1",
	}
	if diff := cmp.Diff(want, lines(t, o.rows(draw.Marks{"0/par.1/0": {State: draw.Waiting}}))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The tree has some hundred rows, with the marked ones.
func TestTreeOfLargePlan(t *testing.T) {
	var branches []*flow.Tree
	for i := range 3000 {
		path := fmt.Sprintf("0/par.%d", i)
		branches = append(branches, node("branch", path, node("func", path+"/0")))
	}
	o := outlined(node("par", "0", branches...), node("map", "1"))
	rows := o.rows(draw.Marks{"0/par.2500/0": {State: draw.Running}})
	all := strings.Join(lines(t, rows), "\n")
	for _, want := range []string{"func 0/par.2500/0 running", "+2252", "+499\n", "par 0 inside 1"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q isn't in\n%s", want, all)
		}
	}
	if len(rows) > maxRows+5 {
		t.Errorf("%d rows", len(rows))
	}
	everywhere := make(draw.Marks)
	for path := range o.steps {
		everywhere[path] = draw.Mark{State: draw.Running}
	}
	if rows := o.rows(everywhere); len(rows) > 3*maxRows {
		t.Errorf("with marks everywhere there are %d rows", len(rows))
	}
}

// Rows are indented only up to a bound.
func TestTreeOfDeepPlan(t *testing.T) {
	deep := node("func", "leaf")
	for range 200 {
		deep = node("call", "call", deep)
	}
	depth, deepest := 0, 0
	rows := outlined(deep).rows(draw.Marks{"leaf": {State: draw.Failed}})
	for _, r := range rows {
		if r.Holds {
			depth++
		}
		deepest = max(deepest, depth)
		depth -= r.Close
	}
	if depth != 0 || deepest != maxDepth || rows[len(rows)-1].Mark == nil {
		t.Errorf("depth %d at last, %d at most, %+v", depth, deepest, rows[len(rows)-1])
	}
}
