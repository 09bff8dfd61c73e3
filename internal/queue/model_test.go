package queue

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// model is a simple model of the order: a list that is searched from the front.
type model []item

type item struct {
	id       int
	key      Key
	timer    bool
	deadline time.Duration
	mark     uint64 // the queue's mark after its arrival
}

func (m model) first(timer bool) int {
	found := -1
	for i, it := range m { // in order of arrival, so an equal deadline doesn't replace an earlier arrival
		if it.timer == timer && (found < 0 || it.deadline < m[found].deadline) {
			found = i
		}
	}
	return found
}

func (m model) count(timer bool) (n int) {
	for _, it := range m {
		if it.timer == timer {
			n++
		}
	}
	return n
}

func (m model) choices(now time.Duration) (keys []Key) {
	for _, it := range m {
		if !it.timer {
			keys = append(keys, it.key)
		}
	}
	if i := m.first(true); i >= 0 && m[i].deadline <= now {
		for _, it := range m {
			if it.timer && it.deadline == m[i].deadline {
				keys = append(keys, it.key)
			}
		}
	}
	return keys
}

// late is choices with late, for a queue without a wheel.
func (m model) late(now time.Duration) (keys []Key) {
	var due []item
	for _, it := range m {
		switch {
		case !it.timer:
			keys = append(keys, it.key)
		case it.deadline <= now:
			due = append(due, it)
		}
	}
	slices.SortStableFunc(due, func(a, b item) int { return cmp.Compare(a.deadline, b.deadline) })
	for _, it := range due {
		keys = append(keys, it.key)
	}
	return keys
}

// T1, T2: with random operations, the queue does the same as the model.
func TestQueueModel(t *testing.T) { rapid.Check(t, checkModel) }

func FuzzQueueModel(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkModel)) }

func checkModel(t *rapid.T) {
	q := New()
	q.crowd = rapid.SampledFrom([]int{1, 2, 8, 16, crowd}).Draw(t, "crowd")
	var (
		m     model
		stale = []Key{0}
		last  int // the id of the callback that ran last
		ids   int
	)
	add := func(it item, key func(fn func()) Key) {
		before := q.Mark()
		ids++
		it.id = ids
		it.key = key(func() { last = it.id })
		if it.mark = q.Mark(); it.mark <= before {
			t.Fatalf("mark %d, after %d", it.mark, before)
		}
		m = append(m, it)
	}
	took := func(fn func(), i int) { // fn must be m[i], or nil for none
		t.Helper()
		if (fn == nil) != (i < 0) {
			t.Fatalf("took a callback: %v, want %v", fn != nil, i >= 0)
		}
		if i < 0 {
			return
		}
		if fn(); last != m[i].id {
			t.Fatalf("took %d, want %d", last, m[i].id)
		}
		stale = append(stale, m[i].key)
		m = slices.Delete(m, i, i+1)
	}
	drawMark := func(t *rapid.T) uint64 {
		return uint64(rapid.IntRange(max(0, int(q.Mark())-3), int(q.Mark())).Draw(t, "mark"))
	}
	narrow := rapid.Bool().Draw(t, "narrow") // many deadlines are equal
	duration := rapid.Custom(func(t *rapid.T) time.Duration {
		if narrow {
			return time.Duration(rapid.IntRange(0, 9).Draw(t, "time"))
		}
		return time.Duration(rapid.Int64().Draw(t, "time") >> rapid.IntRange(0, 63).Draw(t, "shift"))
	})
	t.Repeat(map[string]func(*rapid.T){
		"push": func(*rapid.T) { add(item{}, q.Push) },
		"arm": func(t *rapid.T) {
			d := duration.Draw(t, "deadline")
			add(item{timer: true, deadline: d}, func(fn func()) Key { return q.Arm(d, fn) })
		},
		"arm many": func(t *rapid.T) {
			for _, d := range rapid.SliceOfN(duration, 2, 30).Draw(t, "deadlines") {
				add(item{timer: true, deadline: d}, func(fn func()) Key { return q.Arm(d, fn) })
			}
		},
		"all due": func(t *rapid.T) {
			for range rapid.IntRange(1, 30).Draw(t, "many") {
				took(q.PopDue(endless, q.Mark()), m.first(true))
			}
		},
		"pop": func(t *rapid.T) {
			mark, i := drawMark(t), m.first(false)
			if i >= 0 && m[i].mark > mark {
				i = -1
			}
			took(q.Pop(mark), i)
		},
		"due": func(t *rapid.T) {
			now, mark, i := duration.Draw(t, "now"), drawMark(t), m.first(true)
			if i >= 0 && (m[i].deadline > now || m[i].mark > mark) {
				i = -1
			}
			took(q.PopDue(now, mark), i)
		},
		"cancel": func(t *rapid.T) {
			if len(m) == 0 {
				return // no Skip: when fuzzing, rapid would draw again and again, and then fail
			}
			i := rapid.IntRange(0, len(m)-1).Draw(t, "victim")
			took(q.Take(m[i].key), i)
		},
		"cancel stale": func(t *rapid.T) {
			if q.Take(rapid.SampledFrom(stale).Draw(t, "stale")) != nil {
				t.Fatal("took a callback by a void key")
			}
		},
		"clear": func(t *rapid.T) {
			if rapid.IntRange(0, 9).Draw(t, "rarely") > 0 {
				return
			}
			q.Clear()
			for _, it := range m {
				stale = append(stale, it.key)
			}
			m = nil
		},
		"": func(t *rapid.T) {
			for _, it := range m {
				if !q.Valid(it.key) {
					t.Fatalf("%d waits, its key is void", it.id)
				}
			}
			for _, k := range stale {
				if q.Valid(k) {
					t.Fatalf("stale key %#x is valid", k)
				}
			}
			if q.Ready() != m.count(false) || q.Armed() != m.count(true) {
				t.Fatalf("%d ready, %d armed; want %d, %d", q.Ready(), q.Armed(), m.count(false), m.count(true))
			}
			if now := duration.Draw(t, "now"); !slices.Equal(q.Choices(nil, now, false), m.choices(now)) {
				t.Fatalf("choices at %d: %x, want %x", now, q.Choices(nil, now, false), m.choices(now))
			} else if q.far == nil && !slices.Equal(q.Choices(nil, now, true), m.late(now)) {
				t.Fatalf("late choices at %d: %x, want %x", now, q.Choices(nil, now, true), m.late(now))
			}
			if err := q.check(); err != nil {
				t.Fatal(err)
			}
			i := m.first(true)
			if d, ok := q.Deadline(); ok != (i >= 0) || ok && d != m[i].deadline {
				t.Fatalf("deadline %d, %v", d, ok)
			}
		},
	})
}
