package queue

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// number is an item that says which one it is when it runs.
type number struct {
	Item
	n   int
	ran *[]int
}

func (x *number) Turn() { *x.ran = append(*x.ran, x.n) }

// Starts join a ring that holds fewer than the limit. The others wait, and are admitted in their order, a few at least each
// time.
func TestStartsWait(t *testing.T) {
	var (
		r   Ring
		b   Inbox
		s   Starts
		ran []int
	)
	s.Limit(8)
	start := func(x *Item) (wake, ok bool) {
		x.Starts()
		return b.Push(x)
	}
	push := func(from, to int, into func(*Item) (wake, ok bool)) {
		for i := from; i < to; i++ {
			x := &number{n: i, ran: &ran}
			x.Init(x)
			if _, ok := into(&x.Item); !ok || !x.Queued() {
				t.Fatalf("%d isn't queued", i)
			}
		}
		b.Take(&r, &s)
	}
	run := func(want ...int) {
		t.Helper()
		s.Admit(&r)
		ran = ran[:0]
		for x := r.Next(r.Mark()); x != nil; x = r.Next(r.Mark()) {
			x.Runner().Turn()
		}
		if !slices.Equal(ran, want) {
			t.Errorf("%v run, want %v", ran, want)
		}
	}
	push(0, 12, start)
	push(100, 102, b.Push)
	run(0, 1, 2, 3, 4, 5, 6, 7, 100, 101, 8, 9) // two are admitted to the ten
	push(12, 13, start)                         // behind 10 and 11, though there is room
	push(102, 103, b.Push)
	run(102, 10, 11, 12)
	if !s.Empty() {
		t.Error("one waits still")
	}
	push(13, 14, start)
	run(13)
}

// A start can be removed wherever it is, and is queued no more then.
func TestStartsRemove(t *testing.T) {
	var (
		r   Ring
		b   Inbox
		s   Starts
		ran []int
	)
	s.Limit(1)
	var all [4]number
	for i := range all {
		all[i] = number{n: i, ran: &ran}
		all[i].Init(&all[i])
		all[i].Starts()
		b.Push(&all[i].Item)
	}
	b.Take(&r, &s)
	for i, want := range []bool{false, false, true, true} { // 0 is in the ring
		if i == 1 {
			continue
		}
		if x := &all[i].Item; s.Remove(x) != want {
			t.Errorf("%d: removed %t", i, !want)
		} else if x.Queued() == want {
			t.Errorf("%d: queued %t", i, want)
		}
	}
	all[3].Starts()
	b.Push(&all[3].Item)
	b.Take(&r, &s)
	for x := r.Next(r.Mark()); x != nil; x = r.Next(r.Mark()) {
		x.Runner().Turn()
		s.Admit(&r)
	}
	if want := []int{0, 1, 3}; !slices.Equal(ran, want) || !s.Empty() {
		t.Errorf("%v have run, want %v", ran, want)
	}
}

// Whatever is pushed when: starts keep their order, so does all else, and while n starts wait at most n turns pass.
func TestStartsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var (
			r      Ring
			b      Inbox
			s      Starts
			ran    []int
			pushed [2]int
		)
		s.Limit(rapid.IntRange(0, 6).Draw(t, "limit"))
		for range rapid.IntRange(1, 30).Draw(t, "turns") {
			for _, start := range rapid.SliceOfN(rapid.Bool(), 0, 12).Draw(t, "starts") {
				x := &number{ran: &ran}
				x.Init(x)
				if start {
					x.n = 2 * pushed[1]
					pushed[1]++
					x.Starts()
				} else {
					x.n = 2*pushed[0] + 1
					pushed[0]++
				}
				b.Push(&x.Item)
				if rapid.Bool().Draw(t, "take") {
					b.Take(&r, &s)
				}
			}
			b.Take(&r, &s)
			s.Admit(&r)
			for range rapid.IntRange(0, 12).Draw(t, "run") {
				if x := r.Next(r.Mark()); x != nil {
					x.Runner().Turn()
				}
			}
		}
		for turns := pushed[1]; turns > 0 && !s.Empty(); turns-- {
			s.Admit(&r)
		}
		if !s.Empty() {
			t.Fatal("a start waits longer than as many turns as there are starts")
		}
		for x := r.Next(r.Mark()); x != nil; x = r.Next(r.Mark()) {
			x.Runner().Turn()
		}
		next := [2]int{}
		for _, n := range ran {
			kind := 1 - n%2
			if n/2 != next[kind] {
				t.Fatalf("%d comes where %d should, of kind %d", n/2, next[kind], kind)
			}
			next[kind]++
		}
		if next != pushed {
			t.Fatalf("%v have run, of %v", next, pushed)
		}
	})
}
