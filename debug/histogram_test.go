package debug

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// The middle of a duration's bucket differs from it by a sixteenth at most.
func TestBuckets(t *testing.T) {
	last := -1
	for d := time.Duration(1) << lowest; d < 300*time.Hour; d += d / 50 {
		b := bucketOf(d)
		if off := math.Abs(float64(middleOf(b)-d)) / float64(d); off > 1.0/16 {
			t.Fatalf("%v is in bucket %d, whose middle is %v", d, b, middleOf(b))
		}
		if b < last || b > last+1 && last >= 0 {
			t.Fatalf("%v is in bucket %d, after %d", d, b, last)
		}
		last = b
	}
	for d, want := range map[time.Duration]int{-time.Second: 0, 0: 0, 1: 0, 1023: 0, 1024: 1, math.MaxInt64: buckets - 1} {
		if got := bucketOf(d); got != want {
			t.Errorf("%d is in bucket %d, want %d", d, got, want)
		}
	}
}

func TestQuantiles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var r recent
	all := make([]time.Duration, 10_000)
	for i := range all {
		all[i] = time.Duration(math.Exp(random.NormFloat64()*2) * float64(time.Millisecond))
		r.add(time.Duration(i)*time.Millisecond, all[i])
	}
	slices.Sort(all)
	q := r.quantiles(10 * time.Second)
	if q.Count != 10_000 || q.Max != span(all[9999]) {
		t.Errorf("got %+v", q)
	}
	for percent, got := range map[int]span{50: q.P50, 95: q.P95, 99: q.P99} {
		want := float64(all[len(all)*percent/100-1])
		if off := math.Abs(float64(got)-want) / want; off > 0.07 {
			t.Errorf("p%d is %v, want %v", percent, got, time.Duration(want))
		}
	}
}

func TestRecent(t *testing.T) {
	var r recent
	r.add(time.Second, time.Minute)
	for _, c := range []struct {
		at   time.Duration
		want uint64
	}{{time.Second, 1}, {window, 1}, {2*window - 1, 1}, {2 * window, 0}, {9 * window, 0}} {
		if q := r.quantiles(c.at); q.Count != c.want {
			t.Errorf("at %v: %d durations, want %d", c.at, q.Count, c.want)
		}
	}
	r.add(9*window, time.Second)
	r.add(10*window, 2*time.Second)
	if q := r.quantiles(10 * window); q.Count != 2 || q.Max != span(2*time.Second) {
		t.Errorf("got %+v", q)
	}
	r.add(20*window, 0)
	r.undo()
	if q := r.quantiles(20 * window); q != (quantiles{}) {
		t.Errorf("got %+v", q)
	}
}

func TestRate(t *testing.T) {
	var r rate
	if got := r.perSecond(time.Minute); got != 0 {
		t.Errorf("of nothing %v", got)
	}
	for i := range 600 {
		r.add(time.Hour + time.Duration(i)*100*time.Millisecond)
	}
	for after, want := range map[time.Duration]float64{0: 10, 30 * time.Second: 5, 2 * time.Minute: 0, 24 * time.Hour: 0} {
		if got := r.perSecond(time.Hour + time.Minute + after); math.Abs(got-want) > 1 {
			t.Errorf("%v later %v per second, want %v", after, got, want)
		}
	}
	var one rate
	one.add(time.Second)
	if got := one.perSecond(time.Second); got != 1 {
		t.Errorf("of one event %v", got)
	}
	one.undo(time.Second)
	if got := one.perSecond(time.Second); got != 0 {
		t.Errorf("when it is taken back %v", got)
	}
}

func TestInPlan(t *testing.T) {
	for path, want := range map[string]string{
		"0/1": "0/1", "0/each.17/0": "0/each.N/0", "each.1/0/tasks.22/3": "each.N/0/tasks.N/3", "0/par.1/2": "0/par.1/2",
		"0/each.N/0": "0/each.N/0", "0/reach.3/0": "0/reach.3/0", "": "", "0/crew.17/each.3/0": "0/crew.N/each.N/0", "0/each.": "0/each.",
	} {
		if got := inPlan(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}
