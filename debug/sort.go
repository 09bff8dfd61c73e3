package debug

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sortings are the orders of the lists of runs. The first one is the default: it lists live runs oldest first, and ended runs
// latest first.
var sortings = []string{"oldest", "newest", "plan", "longest", "waiting"}

const byAttr = "attr:"

// sortable reports whether runs can be sorted by order: "", or one of sortings or "attr:" with a key, perhaps with "-" in front for
// the reverse.
func sortable(order string) bool {
	if order == "" {
		return true
	}
	order = strings.TrimPrefix(order, "-")
	return slices.Contains(sortings, order) || len(order) > len(byAttr) && strings.HasPrefix(order, byAttr)
}

type sortKey struct {
	*record

	attr  string // the attribute of the order, if any
	plan  string
	begun time.Duration
	took  time.Duration // how long the run took, or has lived until now
	stood time.Duration // the longest wait of the first maxStands steps where the run stands
}

func (f *filter) sorted(all []*record) []*record {
	taken := all
	if f.Asks() {
		taken = taken[:0:0]
		for _, r := range all {
			if f.takes(r) {
				taken = append(taken, r)
			}
		}
	}
	order, reverse := strings.CutPrefix(f.Sort, "-")
	switch order {
	case "":
		return taken
	case sortings[0]:
		taken = slices.Clone(taken)
		slices.Reverse(taken)
		return taken
	}
	keys := make([]sortKey, len(taken))
	for i, r := range taken {
		keys[i] = r.key(f.now, order)
	}
	slices.SortStableFunc(keys, func(a, b sortKey) int { return a.compare(b, order, reverse) })
	sorted := make([]*record, len(keys))
	for i, k := range keys {
		sorted[i] = k.record
	}
	return sorted
}

// compare orders two runs. Runs without the attribute are last, even in the reverse order.
func (a sortKey) compare(b sortKey, order string, reverse bool) (c int) {
	switch order {
	case "newest":
		c = cmp.Or(cmp.Compare(b.begun, a.begun), cmp.Compare(b.run.ID, a.run.ID))
	case "plan":
		c = strings.Compare(a.plan, b.plan)
	case "longest":
		c = cmp.Compare(b.took, a.took)
	case "waiting":
		c = cmp.Compare(b.stood, a.stood)
	default:
		if a.attr == "" || b.attr == "" {
			return strings.Compare(b.attr, a.attr)
		}
		c = compareValues(a.attr, b.attr)
	}
	if reverse {
		return -c
	}
	return c
}

// compareValues orders numbers by their value, and puts them before other texts.
func compareValues(a, b string) int {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	switch {
	case err1 == nil && err2 == nil:
		return cmp.Compare(x, y)
	case err1 == nil:
		return -1
	case err2 == nil:
		return 1
	default:
		return strings.Compare(a, b)
	}
}

// key returns what r is sorted by. It reads attributes and steps only if order needs them, and no more steps than lists show.
func (r *record) key(now time.Duration, order string) sortKey {
	k := sortKey{record: r, plan: r.plan.name, begun: r.begun, took: now - r.begun}
	if key, by := strings.CutPrefix(order, byAttr); by {
		k.attr = runView{Attrs: r.attributes()}.Attr(key).Value
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end != nil {
		k.took = r.end.took
		return k
	}
	if order == "waiting" {
		for s, n := r.steps.first, 0; s != nil && n < maxStands; s, n = s.next, n+1 {
			if s.state != running {
				k.stood = max(k.stood, now-r.begun-s.since)
			}
		}
	}
	return k
}
