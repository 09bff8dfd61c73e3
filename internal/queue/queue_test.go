package queue

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/seedtest"
)

func TestMain(m *testing.M) {
	seedtest.Fix()
	leaktest.Main(m)
}

func nop() {}

func TestKeysAreNeverReused(t *testing.T) {
	q := New()
	seen := map[Key]bool{0: true}
	for range 1000 {
		for _, k := range []Key{q.Push(nop), q.Arm(0, nop)} {
			if seen[k] {
				t.Fatalf("key %#x given out twice", k)
			}
			seen[k] = true
		}
		q.Clear()
	}
}

// A slot whose generation numbers are used up isn't used again, because a stale key must not become valid.
func TestGenerationsRunOut(t *testing.T) {
	q := New()
	first := q.Push(nop)
	q.Take(first)
	q.slots[0].gen = ^uint32(0) // as after four billion uses
	last := q.Push(nop)
	if q.Take(last) == nil {
		t.Fatal("the last generation does not work")
	}
	next := q.Push(nop)
	if uint32(next) == uint32(last) {
		t.Errorf("slot %d used again", uint32(last))
	}
	for _, stale := range []Key{0, first, last, Key(uint32(last))} {
		if q.Valid(stale) {
			t.Errorf("stale key %#x is valid", stale)
		}
	}
}

// Keys that weren't given out are void, and cause no panic.
func TestUnknownKeys(t *testing.T) {
	q := New()
	q.Push(nop)
	for _, k := range []Key{0, 1, 1 << 32, 1<<32 | 77, ^Key(0)} {
		if valid := q.Valid(k); valid != (k == 1<<32) {
			t.Errorf("Valid(%#x) = %v", k, valid)
		}
	}
}

// A million timers are set and cancelled, while a few remain: the queue doesn't grow.
func TestCancelledTimersLeaveNothing(t *testing.T) {
	q := New()
	for i := range 8 {
		q.Arm(time.Duration(i), nop)
	}
	arm := func(n int) {
		for i := range n {
			q.Take(q.Arm(time.Duration(i%1000), nop))
			q.Take(q.Push(nop))
		}
	}
	arm(10)
	slots, timers := cap(q.slots), cap(q.timers)
	arm(1_000_000)
	if cap(q.slots) != slots || cap(q.timers) != timers {
		t.Errorf("grew from %d slots, %d timers to %d, %d", slots, timers, cap(q.slots), cap(q.timers))
	}
}

// T1: many cancels in a deep heap don't change the order.
func TestOrderAmongManyCancels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		q := New()
		keys := make([]Key, 0, 1000)
		for range 1000 {
			keys = append(keys, q.Arm(time.Duration(r.IntN(500)), nop))
		}
		for _, i := range r.Perm(len(keys))[:700] {
			q.Take(keys[i])
		}
		last := entry{deadline: -1}
		for q.Armed() > 0 {
			first := q.timers[0]
			if first.before(&last) {
				t.Fatalf("deadline %d, arrival %d after %d, %d", first.deadline, first.seq, last.deadline, last.seq)
			}
			last = first
			q.Take(first.key)
		}
	}
}

func TestNothingRetained(*testing.T) {
	q := New()
	freed := make(chan struct{})
	func() {
		big := new([1 << 16]byte)
		runtime.AddCleanup(big, func(struct{}) { close(freed) }, struct{}{})
		use := func() { big[0]++ }
		q.Take(q.Push(use))
		q.Take(q.Arm(1, use))
	}()
	for range 10 {
		runtime.GC()
	}
	<-freed // if it is never freed, the test times out
	runtime.KeepAlive(q)
}

func TestNoAllocations(t *testing.T) {
	q := New()
	for range 100 {
		q.Push(nop)
		q.Arm(5, nop)
	}
	allocs := testing.AllocsPerRun(1000, func() {
		q.Push(nop)
		q.Pop(q.Mark())
		q.Take(q.Push(nop))
		q.Arm(1, nop)
		q.PopDue(1, q.Mark())
		q.Take(q.Arm(1, nop))
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkPushPop(b *testing.B) {
	q := New()
	for b.Loop() {
		q.Push(nop)
		q.Pop(q.Mark())
	}
}

func BenchmarkArmTakeAmongMillion(b *testing.B) {
	q := New()
	r := rand.New(rand.NewPCG(1, 1))
	for range 1_000_000 {
		q.Arm(time.Duration(r.Int64N(1e9)), nop)
	}
	for b.Loop() {
		q.Take(q.Arm(time.Duration(r.Int64N(1e9)), nop))
	}
}

func BenchmarkArmPopAmongMillion(b *testing.B) {
	q := New()
	r := rand.New(rand.NewPCG(1, 1))
	for range 1_000_000 {
		q.Arm(time.Duration(r.Int64N(1e9)), nop)
	}
	for b.Loop() {
		now, _ := q.Deadline()
		q.PopDue(now, q.Mark())
		q.Arm(now+time.Duration(r.Int64N(1e9)), nop)
	}
}

// A key of another queue may name a slot that is free here, with the generation of its next use. It is void.
func TestForeignKey(t *testing.T) {
	a, b := New(), New()
	nothing := func() {}
	b.Take(b.Push(nothing)) // a free slot
	var foreign Key
	for range 2 {
		foreign = a.Push(nothing)
		a.Take(foreign)
	}
	if b.Valid(foreign) || b.Take(foreign) != nil {
		t.Error("took a free slot")
	}
	if x, y := b.Push(nothing), b.Push(nothing); x == y {
		t.Error("one slot was given out twice")
	}
}

// T1: taking immediates out of the middle and from the end keeps the order of the others.
func TestUnlink(t *testing.T) {
	q := New()
	var ran []int
	push := func(i int) Key { return q.Push(func() { ran = append(ran, i) }) }
	push(1)
	middle, last := push(2), push(3)
	q.Take(middle)
	q.Take(last)
	push(4)
	for fn := q.Pop(q.Mark()); fn != nil; fn = q.Pop(q.Mark()) {
		fn()
	}
	if !slices.Equal(ran, []int{1, 4}) {
		t.Error(ran)
	}
}
