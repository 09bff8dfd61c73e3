package queue

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// few returns a queue that makes its wheel with the third timer.
func few() *Queue {
	q := New()
	q.crowd = 2
	return q
}

// spreads holds ways to draw a deadline; now is the deadline of the timer that was taken last.
var spreads = map[string]func(r *rand.Rand, now time.Duration) time.Duration{
	"second": func(r *rand.Rand, now time.Duration) time.Duration { return now + time.Duration(r.Int64N(1e9)) },
	"year":   func(r *rand.Rand, now time.Duration) time.Duration { return now + time.Duration(r.Int64N(3e16)) },
	"close":  func(r *rand.Rand, now time.Duration) time.Duration { return now + time.Duration(r.Int64N(70)) },
	"same":   func(*rand.Rand, time.Duration) time.Duration { return 7 },
	"past":   func(r *rand.Rand, now time.Duration) time.Duration { return now - time.Duration(r.Int64N(1e6)) },
	"any":    func(r *rand.Rand, _ time.Duration) time.Duration { return time.Duration(r.Uint64()) },
	"magnitudes": func(r *rand.Rand, _ time.Duration) time.Duration {
		return time.Duration(r.Uint64()) >> r.IntN(64)
	},
	"ends": func(r *rand.Rand, _ time.Duration) time.Duration {
		return []time.Duration{math.MinInt64, math.MinInt64 + 1, -1, 0, math.MaxInt64 - 1, math.MaxInt64}[r.IntN(6)]
	},
	"two crowds": func(r *rand.Rand, now time.Duration) time.Duration {
		if r.IntN(2) == 0 {
			return 1e15 + time.Duration(r.Int64N(1e6))
		}
		return now%1e14 + time.Duration(r.Int64N(1000))
	},
}

// T1: with any deadlines, and timers set, cancelled and taken at random, the order is kept and the structure is sound.
func TestOrderOfAnySpread(t *testing.T) {
	for name, draw := range spreads {
		for _, size := range []int{2, 40, 300} {
			t.Run(name, func(t *testing.T) {
				q := New()
				q.crowd = size
				churn(t, q, rand.New(rand.NewPCG(1, uint64(size))), draw)
			})
		}
	}
}

// churn lets the number of timers rise and fall three times.
func churn(t *testing.T, q *Queue, r *rand.Rand, draw func(*rand.Rand, time.Duration) time.Duration) {
	t.Helper()
	armed := map[Key]entry{}
	now := time.Duration(0)
	for step := range 12_000 {
		rising := step/2000%2 == 0
		switch n := r.IntN(10); {
		case n < 3 || n < 7 && rising:
			d := draw(r, now)
			k := q.Arm(d, nop)
			armed[k] = entry{d, q.Mark(), k}
		case n < 8: // in random order, because that is the order of Go's maps
			for k := range armed {
				if q.Take(k) == nil {
					t.Fatalf("key %#x is void", k)
				}
				delete(armed, k)
				break
			}
		default:
			now = popFirst(t, q, armed, now)
		}
		if step%500 == 0 {
			if err := q.check(); err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
		}
	}
	for len(armed) > 0 {
		now = popFirst(t, q, armed, now)
	}
	if err := q.check(); err != nil || q.Armed() != 0 {
		t.Fatalf("%d left: %v", q.Armed(), err)
	}
}

// popFirst takes the timer that is due, checks that it is the first of those set, and returns its deadline.
func popFirst(t *testing.T, q *Queue, armed map[Key]entry, now time.Duration) time.Duration {
	t.Helper()
	d, ok := q.Deadline()
	if ok != (len(armed) > 0) {
		t.Fatalf("a deadline: %v, with %d armed", ok, len(armed))
	}
	if !ok {
		return now
	}
	k := q.Choices(nil, d, false)[0]
	got := armed[k]
	for _, e := range armed {
		if e.before(&got) {
			t.Fatalf("took %+v before %+v", got, e)
		}
	}
	if got.deadline != d || q.PopDue(d, q.Mark()) == nil || q.Valid(k) {
		t.Fatalf("took not %+v at %d", got, d)
	}
	delete(armed, k)
	return d
}

// Timers that are set and cancelled don't use more and more memory.
func TestStoppedTimersDontAddUp(t *testing.T) {
	q := few()
	for i := range 2000 {
		q.Arm(time.Duration(i)*1e6, nop)
	}
	round := func() {
		var keys []Key
		for i := range 10_000 {
			keys = append(keys, q.Arm(time.Duration(i%100)*1e9, nop))
		}
		for _, k := range keys {
			q.Take(k)
		}
	}
	round()
	slots, held := len(q.slots), q.far.held()
	for range 20 {
		round()
	}
	if n := q.far.held(); len(q.slots) != slots || n > held+held/4 {
		t.Errorf("grew from %d slots and %d chunks to %d and %d", slots, held, len(q.slots), n)
	}
	if err := q.check(); err != nil {
		t.Error(err)
	}
}

func (w *wheel) held() (n int) {
	count := func(c *chunk) {
		for ; c != nil; c = c.next {
			n++
		}
	}
	count(w.spare)
	for _, l := range w.levels {
		for j := 0; l != nil && j < fan; j++ {
			count(l.buckets[j].head)
		}
	}
	return n
}

// A chunk belongs to one bucket at a time, and is given back after that.
func TestChunksComeBack(t *testing.T) {
	q := few()
	for round := range 5 {
		for i := range 5000 {
			q.Arm(time.Duration(i*1000), nop)
		}
		if round%2 == 0 {
			q.Clear()
		}
		for q.PopDue(1e9, q.Mark()) != nil {
		}
	}
	all := q.far.held()
	seen := map[*chunk]bool{}
	for c := q.far.spare; c != nil; c = c.next {
		seen[c] = true
	}
	if len(seen) != all || all > 5000 {
		t.Errorf("%d spare of %d", len(seen), all)
	}
}

// The wheel isn't turned back again and again if many timers wait far in the future, close together, while others come
// and go before them.
func TestFarCrowdIsNotMovedBackAndForth(t *testing.T) {
	q := few()
	q.crowd = 16
	for i := range 10_000 {
		q.Arm(1e15+time.Duration(i%1000), nop)
	}
	moves := 0
	for range 100 {
		var keys []Key
		for i := range 40 {
			before := q.far.base
			keys = append(keys, q.Arm(time.Duration(i), nop))
			if q.far.base < before {
				moves++
			}
		}
		for _, k := range keys {
			q.Take(k)
		}
		if d, _ := q.Deadline(); d != 1e15 {
			t.Fatal(d)
		}
	}
	if moves > 1 {
		t.Errorf("the wheel turned back %d times", moves)
	}
}

// If very many timers are armed when the wheel has become empty, they don't all stay in the heap.
func TestEdgeFarAhead(t *testing.T) {
	q := few()
	q.crowd = 64
	for i := range 100 { // makes a wheel; the next loop takes all timers but the last
		q.Arm(time.Duration(i)*time.Hour, nop)
	}
	for range 99 {
		q.PopDue(endless, q.Mark())
	}
	if q.Deadline(); q.far.used != 0 {
		t.Fatal("the wheel isn't empty")
	}
	for i := range 10_000 {
		q.Arm(time.Duration(i*7919%10_000), nop)
		if len(q.timers) > q.crowd+1 {
			t.Fatalf("%d of %d in the heap", len(q.timers), i)
		}
	}
	if err := q.check(); err != nil {
		t.Error(err)
	}
	var order []time.Duration
	for q.Armed() > 0 {
		d, _ := q.Deadline()
		order = append(order, d)
		q.PopDue(d, q.Mark())
	}
	if len(order) != 10_001 || !slices.IsSorted(order) {
		t.Errorf("%d taken, in order: %v", len(order), slices.IsSorted(order))
	}
}

// A queue of few timers has no wheel; one of many timers has a wheel, and no more heap than it had before.
func TestWheelComesWithMany(t *testing.T) {
	q := New()
	for i := range crowd {
		q.Arm(time.Duration(i), nop)
	}
	if q.far != nil {
		t.Error("a wheel for few")
	}
	q.Clear()
	if len(q.rows) > 0 {
		t.Error("rows for few")
	}
	for i := range crowd * 10 {
		q.Arm(time.Duration(i), nop)
	}
	if q.far == nil || len(q.timers) > crowd {
		t.Errorf("%d in the heap", len(q.timers))
	}
}

func TestNoAllocationsAmongMany(t *testing.T) {
	q := New()
	for i := range 10_000 {
		q.Arm(time.Duration(i)*1000, nop)
	}
	turn := func() {
		for i := range time.Duration(1000) {
			d, _ := q.Deadline()
			q.PopDue(d, q.Mark())
			q.Arm(d+10_000_000-i, nop)
			q.Take(q.Arm(d+5_000_000+i, nop))
			q.Take(q.Arm(d, nop))
		}
	}
	for range 100 {
		turn()
	}
	if allocs := testing.AllocsPerRun(100, turn); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
	if q.far == nil {
		t.Error("no wheel")
	}
}

// A bucket whose timers are all cancelled gives its chunks back, so the next timers need no new ones.
func TestNoAllocationsWhenAllAreStopped(t *testing.T) {
	q := few()
	keys := make([]Key, 1000)
	round := func() {
		for i := range keys {
			keys[i] = q.Arm(time.Duration(i)*1e9, nop)
		}
		for _, k := range keys {
			q.Take(k)
		}
	}
	if allocs := testing.AllocsPerRun(100, round); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestChunksAreMadeBySlab(t *testing.T) {
	allocs := testing.AllocsPerRun(10, func() {
		var p chunks
		for range 2 * slabLen {
			p.get()
		}
	})
	if allocs != 2 {
		t.Errorf("%v allocations", allocs)
	}
}

// Clear voids the keys in the heap, in the run and in the wheel.
func TestClearAmongMany(t *testing.T) {
	q := few()
	var keys []Key
	arm := func(n int) {
		for i := range n {
			keys = append(keys, q.Arm(time.Duration(i)*1000, nop))
		}
	}
	arm(500)
	for range 100 {
		q.PopDue(endless, q.Mark())
	}
	arm(2)
	if len(q.timers) == 0 || q.head == len(q.run) || q.far.used == 0 {
		t.Fatalf("%d in the heap, %d in the run, wheel %b", len(q.timers), len(q.run)-q.head, q.far.used)
	}
	q.Clear()
	for _, k := range keys {
		if q.Valid(k) {
			t.Fatalf("key %#x is valid", k)
		}
	}
	if err := q.check(); err != nil || q.Armed() != 0 {
		t.Errorf("%d armed: %v", q.Armed(), err)
	}
	if d, ok := q.Deadline(); ok {
		t.Errorf("deadline %v", d)
	}
}
