package debug

import (
	"math/bits"
	"slices"
	"time"
)

// A histogram counts durations in buckets of a log-linear scale, as HdrHistogram does: each power of two from one microsecond to
// about two weeks is cut into subBuckets equal parts. The width of a bucket is at most an eighth of its lower end. A percentile is
// the middle of its bucket, so it is wrong by at most a sixteenth. Shorter times are in the first bucket, which counts as zero.
// Longer times are in the last bucket.
type histogram struct {
	count   uint64
	longest time.Duration
	buckets [buckets]uint32
}

const (
	subBits    = 3
	subBuckets = 1 << subBits
	lowest     = 10 // the first octave begins at 2^10 ns
	octaves    = 40
	buckets    = 1 + octaves*subBuckets
)

func bucketOf(d time.Duration) int {
	if d < 1<<lowest {
		return 0
	}
	exponent := bits.Len64(uint64(d)) - 1
	within := int(d>>(exponent-subBits)) & (subBuckets - 1)
	return min(1+(exponent-lowest)*subBuckets+within, buckets-1)
}

func middleOf(bucket int) time.Duration {
	if bucket == 0 {
		return 0
	}
	bucket--
	exponent := lowest + bucket/subBuckets
	low := time.Duration(subBuckets+bucket%subBuckets) << (exponent - subBits)
	return low + time.Duration(1)<<(exponent-subBits-1)
}

func (h *histogram) add(d time.Duration) {
	h.count++
	h.longest = max(h.longest, d)
	h.buckets[bucketOf(d)]++
}

type quantiles struct {
	Count uint64 `json:"count"` // how many durations there are
	P50   span   `json:"p50"`
	P95   span   `json:"p95"`
	P99   span   `json:"p99"`
	Max   span   `json:"max"`
}

// window is the shortest time for which a duration counts in the quantiles; the longest is twice as long.
const window = 5 * time.Minute

// recent keeps the durations of this window and of the one before. Its zero value is ready. The first duration allocates the
// memory.
type recent struct {
	epoch   int64 // number of the window of now
	now     *histogram
	earlier *histogram
}

// add counts d, which was measured at the moment at.
func (r *recent) add(at, d time.Duration) {
	r.turn(at)
	if r.now == nil {
		r.now = new(histogram)
	}
	r.now.add(d)
}

func (r *recent) turn(at time.Duration) {
	epoch := int64(at / window)
	switch {
	case epoch <= r.epoch:
		return
	case epoch == r.epoch+1:
		r.now, r.earlier = r.earlier, r.now
	default:
		r.earlier = nil
	}
	if r.now != nil {
		*r.now = histogram{}
	}
	r.epoch = epoch
}

func (r *recent) quantiles(at time.Duration) quantiles {
	r.turn(at)
	return quantilesOf(r.now, r.earlier)
}

// quantilesOf computes the quantiles of all durations in histograms. A nil histogram is empty.
func quantilesOf(histograms ...*histogram) (q quantiles) {
	all := slices.DeleteFunc(histograms, func(h *histogram) bool { return h == nil })
	for _, h := range all {
		q.Count += h.count
		q.Max = max(q.Max, span(h.longest))
	}
	if q.Count == 0 {
		return q
	}
	targets := [...]struct {
		rank uint64
		to   *span
	}{{rank(q.Count, 50), &q.P50}, {rank(q.Count, 95), &q.P95}, {rank(q.Count, 99), &q.P99}}
	next, seen := 0, uint64(0)
	for b := range buckets {
		for _, h := range all {
			seen += uint64(h.buckets[b])
		}
		for next < len(targets) && seen >= targets[next].rank {
			*targets[next].to = min(span(middleOf(b)), q.Max)
			next++
		}
	}
	return q
}

// rank returns how many of n durations are at or below the given percentile, at least one.
func rank(n, percent uint64) uint64 { return max(1, (n*percent+99)/100) }

// undo removes a duration of zero that add has counted.
func (r *recent) undo() {
	if r.now != nil && r.now.buckets[0] > 0 {
		r.now.count--
		r.now.buckets[0]--
	}
}
