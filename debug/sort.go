package debug

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// sortings are the orders of the lists of runs. The first one is the default; ended runs come latest first in it.
var sortings = []string{"oldest", "newest", "plan", "longest", "waiting"}

// sortKey is what runs are sorted by.
type sortKey struct {
	*record

	plan  string
	begun time.Duration
	took  time.Duration // until now, if it lives
	stood time.Duration // how long the step where it stands longest has been in its state
}

// sorted returns the runs that f takes, in the order that is asked for.
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
	if f.Sort == "" {
		return taken
	}
	keys := make([]sortKey, len(taken))
	for i, r := range taken {
		keys[i] = r.key(f.now, f.Sort == "waiting")
	}
	slices.SortStableFunc(keys, func(a, b sortKey) int {
		switch f.Sort {
		case "newest":
			return cmp.Or(cmp.Compare(b.begun, a.begun), cmp.Compare(b.run.ID, a.run.ID))
		case "plan":
			return strings.Compare(a.plan, b.plan)
		case "longest":
			return cmp.Compare(b.took, a.took)
		default:
			return cmp.Compare(b.stood, a.stood)
		}
	})
	sorted := make([]*record, len(keys))
	for i, k := range keys {
		sorted[i] = k.record
	}
	return sorted
}

// key returns what r is sorted by. Where it stands is looked at only if it matters, and not further than where pages show
// it.
func (r *record) key(now time.Duration, stands bool) sortKey {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := sortKey{record: r, plan: r.plan.name, begun: r.begun, took: now - r.begun}
	if r.end != nil {
		k.took = r.end.took
		return k
	}
	if stands {
		for s, n := r.steps.first, 0; s != nil && n < maxStands; s, n = s.next, n+1 {
			if s.state != running {
				k.stood = max(k.stood, now-r.begun-s.since)
			}
		}
	}
	return k
}
