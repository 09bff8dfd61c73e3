package debug

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
	"github.com/futoin-go/asyncsteps/observe"
)

// outlines keeps the plans of the runs that pages have shown last, so that they aren't made again for each live update.
type outlines struct {
	mu   sync.Mutex
	last []*planOutline // most recently used last
}

const outlinesKept = 16

type planOutline struct {
	run   uint64
	tree  *flow.Tree
	parts []outlinePart         // each part before the parts that it holds
	steps map[string]*flow.Tree // by path
}

// outlinePart is a part of a plan, with the index of the part that holds it, or -1.
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

// marksOf marks where in the plan v stands, or where it has failed. Sub-steps that a body has added aren't in the plan. For them
// the step that has added them is marked.
func marksOf(o *planOutline, v runView) draw.Marks {
	stands := make(map[string][]stepView)
	moves := make(map[string][]stepView) // the steps that move the elements of a stream
	for _, s := range v.Stands {
		path, to := inPlan(s.Path), stands
		if stream, in := o.streamOf(path); stream == "" {
			path = o.pathOf(path)
		} else if path = stream; strings.Contains(in, "/crew.N/") {
			path = cmp.Or(o.inStream(stream, s), stream)
		} else {
			to = moves
		}
		if path != "" {
			to[path] = append(to[path], s)
		}
	}
	marks := make(draw.Marks, len(stands)+1)
	for path, here := range stands {
		marks[path] = markOf(here)
	}
	for stream, here := range moves {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(stands)), func(path string) bool { return heldBy(path, stream) }) {
			marks[stream] = markOf(here)
		}
	}
	if v.End != nil && v.End.Path != "" {
		if path := o.pathOf(inPlan(v.End.Path)); path != "" {
			marks[path] = draw.Mark{State: draw.Failed, Note: "failed: " + string(v.End.Code)}
		}
	}
	return marks
}

// pathOf returns the path of the innermost step of the plan at path or around it. For a step inside of a stream it returns the path
// of the stream. It returns "" if there is none.
func (o *planOutline) pathOf(path string) string {
	if stream, _ := o.streamOf(path); stream != "" {
		return stream
	}
	for ; path != ""; path = holder(path) {
		if o.steps[path] != nil {
			return path
		}
	}
	return ""
}

// streamOf returns the path of the stream that has added the step at path, and the rest of path. It returns "" if no stream has
// added the step. A run executes a stream that has lanes or goroutines as a race, at 0 inside of the stream's step. In the plan, the
// step at 0 is the first stage of the stream, and isn't a race.
func (o *planOutline) streamOf(path string) (stream, rest string) {
	const race = "/0/race."
	for end := len(path); ; {
		end = strings.LastIndex(path[:end], race)
		if end < 0 {
			return "", ""
		}
		first := o.steps[path[:end]+"/0"]
		if first != nil && !slices.ContainsFunc(first.Holds, func(t *flow.Tree) bool {
			return len(t.Holds) > 0 && strings.HasPrefix(t.Holds[0].Path, path[:end]+race)
		}) {
			return path[:end], path[end:]
		}
	}
}

// inStream returns the path of the step of the plan where an element of a stream stands, or "" if there is none, or several.
func (o *planOutline) inStream(stream string, s stepView) (found string) {
	for path, t := range o.steps {
		same := t.Kind == s.Kind && cmp.Or(t.Name, t.Func, t.Kind) == s.Label && (s.Site == fault.Site{} || t.Site == s.Site)
		if !same || !heldBy(path, stream) {
			continue
		}
		if found != "" {
			return ""
		}
		found = path
	}
	return found
}

// heldBy reports whether path is that of holder, or of a step inside of it.
func heldBy(path, holder string) bool {
	rest, ok := strings.CutPrefix(path, holder)
	return ok && (rest == "" || rest[0] == '/')
}

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
