package debug

import "slices"

// runList is a table of runs.
type runList struct {
	Runs    []runView
	Columns []string // keys of the attributes that have columns of their own
}

func listOf(runs []runView, columns []string) runList { return runList{runs, columns} }

// Rest returns the attributes of a run that have no columns of their own.
func (l runList) Rest(v runView) (rest []attrView) {
	for _, a := range v.Attrs {
		if !slices.Contains(l.Columns, a.Key) {
			rest = append(rest, a)
		}
	}
	return rest
}
