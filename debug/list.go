package debug

import "slices"

// runList is a table of runs.
type runList struct {
	Runs    []runView
	Columns []string // keys of the attributes that have columns of their own

	query *query // nil if the list can't be sorted
}

func listOf(runs []runView, q *query) runList {
	if q == nil {
		return runList{Runs: runs}
	}
	return runList{runs, q.Columns(), q}
}

// Head returns the head of a column.
func (l runList) Head(text string) heading {
	order := map[string]string{"Run": "newest", "Plan": "plan", "Age": "longest", "Took": "longest", "Stands at": "waiting"}[text]
	if l.query == nil || order == "" {
		return heading{Text: text}
	}
	return newHeading(text, order, l.query.Sort, order != "plan", l.query.sortedBy)
}

// HeadOf returns the head of the column of an attribute.
func (l runList) HeadOf(key string) heading {
	if l.query == nil {
		return heading{Text: key}
	}
	return newHeading(key, byAttr+key, l.query.Sort, false, l.query.sortedBy)
}

// Rest returns the attributes of a run that have no columns of their own.
func (l runList) Rest(v runView) (rest []attrView) {
	for _, a := range v.Attrs {
		if !slices.Contains(l.Columns, a.Key) {
			rest = append(rest, a)
		}
	}
	return rest
}
