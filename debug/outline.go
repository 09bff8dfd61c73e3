package debug

import (
	"fmt"
	"slices"
	"sync"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
	"github.com/futoin-go/asyncsteps/observe"
)

// outlines keeps the plans of the runs that pages have shown last, so that live updates
// of a page don't describe its plan again.
type outlines struct {
	mu   sync.Mutex
	last []*planOutline // most recently used last
}

const outlinesKept = 16

// planOutline is the plan of a run. It doesn't change.
type planOutline struct {
	run   uint64
	tree  *flow.Tree
	parts []outlinePart         // each part before the parts that it holds
	steps map[string]*flow.Tree // by path
}

// outlinePart is a part of a plan, with the index of the part that holds it, -1 for none.
type outlinePart struct {
	*flow.Tree

	holder int
}

func (o *outlines) of(run observe.Run) *planOutline {
	o.mu.Lock()
	at := slices.IndexFunc(o.last, func(known *planOutline) bool { return known.run == run.ID })
	if at >= 0 {
		found := o.last[at]
		o.last = append(slices.Delete(o.last, at, at+1), found)
		o.mu.Unlock()
		return found
	}
	o.mu.Unlock()
	made := &planOutline{run: run.ID, tree: run.Plan(), steps: make(map[string]*flow.Tree)}
	if made.tree == nil {
		made.tree = &flow.Tree{Kind: "plan", Role: flow.RolePlan}
	}
	made.list()
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.last) >= outlinesKept {
		o.last = slices.Delete(o.last, 0, 1)
	}
	o.last = append(o.last, made)
	return made
}

// list adds the parts of the tree.
func (o *planOutline) list() {
	for todo := []outlinePart{{o.tree, -1}}; len(todo) > 0; {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		at := len(o.parts)
		o.parts = append(o.parts, p)
		if p.Role == flow.RoleStep {
			o.steps[p.Path] = p.Tree
		}
		for _, held := range slices.Backward(p.Holds) {
			todo = append(todo, outlinePart{held, at})
		}
	}
}

// marksOf returns where in the plan v stands, or where it has failed. Sub-steps that a body
// has added are not in the plan: the step that added them is marked instead.
func marksOf(o *planOutline, v runView) draw.Marks {
	stands := make(map[string][]stepView)
	for _, s := range v.Stands {
		if path := o.pathOf(s.Path); path != "" {
			stands[path] = append(stands[path], s)
		}
	}
	marks := make(draw.Marks, len(stands)+1)
	for path, here := range stands {
		marks[path] = markOf(here)
	}
	if v.End != nil && v.End.Path != "" {
		if path := o.pathOf(v.End.Path); path != "" {
			marks[path] = draw.Mark{State: draw.Failed, Note: "failed: " + string(v.End.Code)}
		}
	}
	return marks
}

// pathOf returns the path of the step of the plan that has the path, or holds the step that
// has it; "" if there is none.
func (o *planOutline) pathOf(path string) string {
	for path = inPlan(path); path != ""; path = holder(path) {
		if o.steps[path] != nil {
			return path
		}
	}
	return ""
}

// markOf returns the mark of a step of the plan, for all branches that run it.
func markOf(here []stepView) draw.Mark {
	longest, waits := here[0].For, 0
	for _, s := range here {
		longest = max(longest, s.For)
		if s.State != running {
			waits++
		}
	}
	m := draw.Mark{State: draw.Running, Note: fmt.Sprintf("%s for %v", here[0].State, longest)}
	if len(here) > 1 {
		m.Note = fmt.Sprintf("%d times, up to %v", len(here), longest)
	}
	if waits == len(here) {
		m.State = draw.Waiting
	}
	return m
}
