package debug

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/flow"
)

func TestOutline(t *testing.T) {
	step := func(kind, name, path string, holds ...*flow.Tree) *flow.Tree {
		return &flow.Tree{Kind: kind, Name: name, Path: path, Role: flow.RoleStep, Holds: holds}
	}
	branch := func(path string, holds ...*flow.Tree) *flow.Tree {
		return &flow.Tree{Kind: "branch", Path: path, Role: flow.RoleBranch, Holds: holds}
	}
	plan := &flow.Tree{Kind: "plan", Role: flow.RolePlan, Holds: []*flow.Tree{
		step("par", "both\n", "0", branch("0/par.0", step("func", "", "0/par.0/0")), branch("0/par.1", step("func", "", "0/par.1/0"))),
		step("map", "", "1"),
	}}
	want := `plan
  par "both\n"  0
    branch
      func  0/par.0/0
    branch
      func  0/par.1/0
  map  1
`
	if diff := cmp.Diff(want, outline(plan)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
