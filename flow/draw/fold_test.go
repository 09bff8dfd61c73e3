package draw_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
	"github.com/futoin-go/asyncsteps/step"
)

// The picture has the first two levels of a plan.
func ExampleFold() {
	inner := flow.Named("price", flow.Timeout(1e9, step.Map(same)))
	plan := flow.Describe(flow.Named("order", flow.Call(flow.Then(inner, step.Map(same)))))
	small := draw.Fold(plan, func(t *flow.Tree) bool { return strings.Count(t.Path, "/") < 1 })
	if err := draw.Mermaid(os.Stdout, small); err != nil {
		fmt.Println(err)
	}
	// Output:
	// flowchart TD
	// n0(["int"])
	// subgraph f0 [" "]
	// n1["call #34;order#34;<br>0<br>int → int"]
	// n2["timeout #34;price#34;<br>0/0<br>int → int<br>limit 1s, folded 1 step"]
	// n3["map same<br>0/1<br>int → int"]
	// end
	// n4(["int"])
	// n0 --> n1
	// n1 --> n2
	// n2 --> n3
	// n3 --> n4
}

func stored(t *testing.T, tree *flow.Tree) string {
	t.Helper()
	text, err := json.Marshal(tree) //nolint:musttag // a Site has the names of its fields
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFold(t *testing.T) {
	for name, plan := range plans() {
		before := stored(t, plan)
		asked := 0
		if diff := cmp.Diff(plan, draw.Fold(plan, func(*flow.Tree) bool { asked++; return true })); diff != "" {
			t.Errorf("%s: nothing is folded: -want +got:\n%s", name, diff)
		}
		folds := 0
		for part := range plan.All() {
			if part.Role == flow.RoleStep && draw.Folds(part) {
				folds++
			}
		}
		if asked != folds {
			t.Errorf("%s: asked %d times, of %d steps that hold others", name, asked, folds)
		}
		all := draw.Fold(plan, func(*flow.Tree) bool { return false })
		for part := range all.All() {
			if part.Role == flow.RoleStep && part.Path != "" && draw.Folds(part) {
				t.Errorf("%s: %s isn't folded", name, part.Path)
			}
		}
		if after := stored(t, plan); after != before {
			t.Errorf("%s has been changed", name)
		}
	}
	if draw.Fold(nil, nil) != nil {
		t.Error("of nil there is a Tree")
	}
	folded := draw.Fold(plans()["branches"], func(*flow.Tree) bool { return false }).Holds[0]
	if got := fmt.Sprint(folded.Parameters); got != "[folded 5 steps]" || folded.Holds != nil {
		t.Errorf("folded to %s, %v", got, folded.Holds)
	}
}
