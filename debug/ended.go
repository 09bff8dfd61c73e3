package debug

import (
	"cmp"
	"slices"
	"time"
)

// memory is how long all failures are kept, if there is room. A full sample of successes reaches back about as long, or longer.
const memory = time.Hour

// ended holds the records of runs that have ended: the failures of the last hour, the latest failures of any age, the latest
// successes, and a sample of older ones. book.mu guards it.
type ended struct {
	least  int // failures that are kept at any age
	most   int // the most failures that are kept
	failed []*record
	good   ring[*record]
	sample ring[*record] // some of the records that good has dropped
	pause  time.Duration // the least time between the ends of two runs in sample
}

func newEnded(o Options) ended {
	return ended{
		least: o.Ended, most: o.Failures, good: ring[*record]{limit: o.Ended}, sample: ring[*record]{limit: o.Ended},
		pause: memory / time.Duration(o.Ended),
	}
}

// add keeps r, whose run has ended at the given time, and returns the records that are no longer kept.
func (e *ended) add(r *record, at time.Duration, failed bool) (dropped []*record) {
	r.closed = at
	if failed {
		e.failed = append(e.failed, r)
		n := len(e.failed) - min(len(e.failed), e.most)
		for n < len(e.failed)-e.least && e.failed[n].closed < at-memory {
			n++
		}
		dropped = slices.Clone(e.failed[:n])
		e.failed = slices.Delete(e.failed, 0, n)
		return dropped
	}
	late, full := e.good.add(r)
	if !full {
		return nil
	}
	if len(e.sample.items) > 0 && late.closed-e.sample.last().closed < e.pause {
		return []*record{late}
	}
	if late, full = e.sample.add(late); full {
		return []*record{late}
	}
	return nil
}

func (e *ended) all() []*record {
	all := slices.Concat(e.failed, e.sample.all(), e.good.all())
	slices.Reverse(all[:len(e.failed)])
	slices.Reverse(all[len(e.failed):])
	slices.SortStableFunc(all, func(a, b *record) int { return cmp.Compare(b.closed, a.closed) })
	return all
}
