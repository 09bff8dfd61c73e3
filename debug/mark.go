package debug

import (
	"fmt"
	"regexp"

	"github.com/futoin-go/asyncsteps/flow"
)

// Signs in front of the steps of a plan at which a run stands, or has failed.
const (
	signLive   = "▶ "
	signFailed = "✗ "
)

// elements are branches of flow.ParEach, which are one branch of the plan.
var elements = regexp.MustCompile(`\beach\.[0-9]+\b`)

// mark changes plan so that it says where v stands, or where it has failed: a
// sign before the kind of that step, and how long after its path. Sub-steps that
// a body has entered are no part of the plan: the step that entered them is marked.
func mark(plan *flow.Tree, v runView) {
	steps := make(map[string]*flow.Tree)
	for t := range plan.All() {
		if t.Role == flow.RoleStep {
			steps[t.Path] = t
		}
	}
	stands := make(map[*flow.Tree][]stepView)
	for _, s := range v.Stands {
		if t := partOf(steps, s.Path); t != nil {
			stands[t] = append(stands[t], s)
		}
	}
	for t, here := range stands {
		t.Kind, t.Path = signLive+t.Kind, t.Path+" · "+said(here)
	}
	if v.End != nil && v.End.Path != "" {
		if t := partOf(steps, v.End.Path); t != nil {
			t.Kind = signFailed + t.Kind
		}
	}
}

// partOf is the step of the plan that path is at, or inside of.
func partOf(steps map[string]*flow.Tree, path string) *flow.Tree {
	for path = elements.ReplaceAllString(path, "each.N"); path != ""; path = holder(path) {
		if t := steps[path]; t != nil {
			return t
		}
	}
	return nil
}

// said is how a step of the plan stands, in several branches perhaps.
func said(here []stepView) string {
	longest := here[0].For
	for _, s := range here {
		longest = max(longest, s.For)
	}
	if len(here) > 1 {
		return fmt.Sprintf("%d times, up to %v", len(here), longest)
	}
	return fmt.Sprintf("%s for %v", here[0].State, longest)
}
