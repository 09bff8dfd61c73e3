package debug

import (
	"cmp"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
)

type treeRow struct {
	Kind, Name, Path, Site string
	Step                   bool // otherwise the part is a branch, a handler, …
	Mark                   *draw.Mark
	Inside                 int  // marks in the parts that this part holds
	Holds                  bool // the following rows are inside of this one
	Open                   bool // the rows inside are unfolded at first
	Left                   int  // if above 0, the row stands for that many successive parts that are left out
	Close                  int  // how many enclosing rows end after this one
}

// Bounds of the tree on a page.
const (
	maxRows   = 500
	maxDepth  = 24 // deeper parts aren't indented further
	openParts = 60 // a plan with at most this many parts is unfolded at first
)

// rows returns the plan as a tree. If the plan has too many parts, some are left out, first of all parts without a mark inside.
func (o *planOutline) rows(marks draw.Marks) []treeRow {
	inside := o.inside(marks)
	shown := o.choose(inside)
	type level struct {
		*flow.Tree

		next, depth, left int
		nests             bool
	}
	var rows []treeRow
	at := make(map[*flow.Tree]int, len(o.parts))
	for i, p := range o.parts {
		at[p.Tree] = i
	}
	add := func(t *flow.Tree, depth int) level {
		row := treeRow{
			Kind: t.Kind, Name: called(t), Path: t.Path, Site: t.Site.String(), Step: t.Role == flow.RoleStep,
			Inside: inside[at[t]], Holds: len(t.Holds) > 0 && depth < maxDepth,
		}
		if m, marked := marks[t.Path]; marked && row.Step {
			row.Mark = &m
			row.Inside--
		}
		row.Open = depth == 0 || row.Inside > 0 || len(o.parts) <= openParts
		rows = append(rows, row)
		return level{Tree: t, depth: depth, nests: row.Holds}
	}
	leave := func(l *level) {
		if l.left > 0 {
			rows = append(rows, treeRow{Left: l.left})
			l.left = 0
		}
	}
	for open := []level{add(o.tree, 0)}; len(open) > 0; {
		top := &open[len(open)-1]
		if top.next == len(top.Holds) {
			leave(top)
			if top.nests {
				rows[len(rows)-1].Close++
			}
			open = open[:len(open)-1]
			continue
		}
		held := top.Holds[top.next]
		top.next++
		if !shown[at[held]] {
			top.left++
			continue
		}
		leave(top)
		open = append(open, add(held, top.depth+1))
	}
	return rows
}

// called returns the name of a part. The name of a branch is that of its first step, so that folded branches can be told apart.
func called(t *flow.Tree) string {
	if t.Role == flow.RoleBranch && len(t.Holds) > 0 {
		first := t.Holds[0]
		return cmp.Or(first.Name, first.Func, first.Kind)
	}
	return cmp.Or(t.Name, t.Func)
}

// inside counts the marks in each part of the plan, with its own.
func (o *planOutline) inside(marks draw.Marks) []int {
	counts := make([]int, len(o.parts))
	for i := len(o.parts) - 1; i >= 0; i-- { // a part comes before the parts that it holds
		p := o.parts[i]
		if _, marked := marks[p.Path]; marked && p.Role == flow.RoleStep {
			counts[i]++
		}
		if p.holder >= 0 {
			counts[p.holder] += counts[i]
		}
	}
	return counts
}

// choose chooses the parts that get a row: up to twice maxRows parts with marks inside, and then the first other parts, while
// there are fewer than maxRows.
func (o *planOutline) choose(inside []int) []bool {
	shown := make([]bool, len(o.parts))
	room := maxRows
	for i := range o.parts {
		if inside[i] > 0 || i == 0 {
			shown[i] = room > -maxRows
			room--
		}
	}
	for i, p := range o.parts {
		if !shown[i] && room > 0 && shown[p.holder] {
			shown[i] = true
			room--
		}
	}
	return shown
}
