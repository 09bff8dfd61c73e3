package debug

import "slices"

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

func (l runList) Head(text string) heading {
	order := map[string]string{"Run": "newest", "Plan": "plan", "Age": "longest", "Took": "longest", "Stands at": "waiting"}[text]
	if l.query == nil || order == "" {
		return heading{Text: text}
	}
	return newHeading(text, order, l.query.Sort, order != "plan", l.query.sortedBy)
}

func (l runList) HeadOf(key string) heading {
	if l.query == nil {
		return heading{Text: key}
	}
	return newHeading(key, byAttr+key, l.query.Sort, false, l.query.sortedBy)
}

func (l runList) Rest(v runView) (rest []attrView) {
	for _, a := range v.Attrs {
		if !slices.Contains(l.Columns, a.Key) {
			rest = append(rest, a)
		}
	}
	return rest
}
