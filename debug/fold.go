package debug

import (
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
)

// Bounds of the picture on a page.
const (
	unfolded   = 60   // steps that are shown at first
	leading    = 300  // further steps that are shown because steps with marks are among them or inside of them
	maxPicture = 1000 // parts of a folded plan; a plan with more has no picture on the page, only one as a file
	maxToggled = 12   // steps that were folded by hand, and as many that were unfolded
)

type folding struct {
	outline *planOutline
	first   map[string]bool // unfolded at first
	opened  []string        // by hand, as paths
	shut    []string
}

// newFolding returns the folding that the query of a page asks for: ?open=0/1&open=2&shut=0.
func (o *planOutline) newFolding(query url.Values, marks draw.Marks) *folding {
	f := &folding{outline: o, first: make(map[string]bool), opened: toggled(query["open"]), shut: toggled(query["shut"])}
	room := unfolded
	for open := []*flow.Tree{o.tree}; len(open) > 0; open = open[1:] { // the outer steps first
		for _, t := range open[0].Holds {
			if t.Role == flow.RoleStep && holdsSteps(t) {
				if n := stepsOf(t); n <= room {
					room -= n
					f.first[t.Path] = true
				} else {
					continue
				}
			}
			open = append(open, t)
		}
	}
	room = leading
	for _, path := range slices.Sorted(maps.Keys(marks)) {
		for path = holderStep(o, path); path != "" && !f.first[path]; path = holderStep(o, path) {
			if room -= stepsOf(o.steps[path]); room < 0 {
				return f
			}
			f.first[path] = true
		}
	}
	return f
}

func toggled(paths []string) []string { return paths[max(0, len(paths)-maxToggled):] }

func holdsSteps(t *flow.Tree) bool {
	return slices.ContainsFunc(t.Holds, func(part *flow.Tree) bool { return part.Role == flow.RoleStep || part.Role == flow.RoleBranch })
}

// stepsOf returns how many parts are shown if t is unfolded: its own, and those of its branches.
func stepsOf(t *flow.Tree) (n int) {
	for _, part := range t.Holds {
		if n++; part.Role != flow.RoleStep {
			n += len(part.Holds)
		}
	}
	return n
}

// holderStep returns the path of the step that holds the step at path, or "".
func holderStep(o *planOutline, path string) string {
	for path = holder(path); path != "" && o.steps[path] == nil; {
		path = holder(path)
	}
	return path
}

func (f *folding) open(t *flow.Tree) bool {
	if slices.Contains(f.shut, t.Path) {
		return false
	}
	return f.first[t.Path] || slices.Contains(f.opened, t.Path)
}

// link returns the address of page, "run" or "plan", with the step of t folded if it is open now, and open if it is folded now.
// It returns "" if the address would be too long.
func (f *folding) link(page string, id uint64, t *flow.Tree) string {
	without := func(paths []string) []string {
		return slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path == t.Path })
	}
	v := url.Values{"id": {strconv.FormatUint(id, 10)}, "open": without(f.opened), "shut": without(f.shut)}
	to := "open"
	if f.open(t) {
		to = "shut"
	}
	v[to] = toggled(append(v[to], t.Path))
	if link := page + "?" + v.Encode(); len(link) < maxQuery {
		return link + "#picture"
	}
	return ""
}

// picture returns the folded plan, and its marks. The mark of a folded step shows the strongest of the states that the marks of
// this step and of the steps inside have.
func (f *folding) picture(page string, id uint64, marks draw.Marks) (*flow.Tree, draw.Marks) {
	tree := draw.Fold(f.outline.tree, f.open)
	seen, shown := make(draw.Marks), make(map[string]bool)
	for t := range tree.All() {
		if t.Role != flow.RoleStep {
			continue
		}
		m := marks[t.Path]
		if whole := f.outline.steps[t.Path]; whole != nil && holdsSteps(whole) {
			m.Link = f.link(page, id, whole)
		}
		seen[t.Path], shown[t.Path] = m, true
	}
	for _, path := range slices.Sorted(maps.Keys(marks)) {
		m, outer := marks[path], path
		for outer != "" && !shown[outer] {
			outer = holderStep(f.outline, outer)
		}
		if at := seen[outer]; outer != path && outer != "" && stronger(m.State, at.State) {
			at.State, at.Note = m.State, "inside: "+m.Note
			seen[outer] = at
		}
	}
	return tree, seen
}

func stronger(a, b draw.State) bool {
	order := []draw.State{"", draw.Waiting, draw.Running, draw.Failed}
	return slices.Index(order, a) > slices.Index(order, b)
}

// svg returns the picture for a page, or "" if the plan has too many parts even when folded.
func (f *folding) svg(page string, id uint64, marks draw.Marks) (template.HTML, error) {
	tree, marks := f.picture(page, id, marks)
	n := 0
	for range tree.All() {
		if n++; n > maxPicture {
			return "", nil
		}
	}
	var b strings.Builder
	err := draw.SVG(&b, tree, marks)
	return template.HTML(b.String()), err //nolint:gosec // escaped
}
