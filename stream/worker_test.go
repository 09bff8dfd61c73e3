package stream

import (
	"testing"
	"time"
)

// A goroutine takes several elements if each takes a short time, and leaves some to the others.
func TestPieceSize(t *testing.T) {
	tests := []struct {
		reason string
		todo   int
		size   int // of the piece before
		costs  []time.Duration
		want   int
	}{
		{"the first piece is small: nobody knows what an element costs", 500, 0, nil, 1},
		{"pieces grow", 500, 8, nil, 16},
		{"as long as elements are left for the others", 20, 64, nil, 5},
		{"there is always one", 1, 64, nil, 1},
		{"elements of a millisecond go one by one", 500, 64, []time.Duration{time.Millisecond}, 1},
		{"of two microseconds a hundred are worth it", 1000, 128, []time.Duration{2 * time.Microsecond}, 100},
		{"one that waited for a processor says little", 1000, 128, []time.Duration{2 * time.Microsecond, time.Second}, 57},
		{"no more than a chunk", 100_000, 1000, []time.Duration{1}, most},
	}
	for _, test := range tests {
		p := &pool[int, int]{Bound: Bound{Limit: 2}, size: test.size}
		p.todo.push(make([]int, test.todo)...)
		for _, cost := range test.costs {
			p.learn(cost)
		}
		if got := p.pieceSize(); got != test.want {
			t.Errorf("%s: %d, want %d", test.reason, got, test.want)
		}
	}
}

func TestPieceIsReset(t *testing.T) {
	v := new(int)
	x := piece[*int, *int]{in: []*int{v}, out: []*int{v}, errs: []error{nil}, done: true, at: 1, place: 1}
	x.reset()
	if x.in[:1][0] != nil || x.out[:1][0] != nil || x.errs != nil || x.done || x.at != 0 || x.place != 0 {
		t.Errorf("a piece that was reset is %+v", x)
	}
}

func TestFifo(t *testing.T) {
	var q fifo[*int]
	next, first := 0, 0
	for round := range 1000 {
		for range round % 7 {
			q.push(&[]int{next}[0])
			next++
		}
		n := min(q.len(), round%5)
		for i, v := range q.rest()[:n] {
			if *v != first+i {
				t.Fatalf("round %d: %d, want %d", round, *v, first+i)
			}
		}
		q.drop(n)
		first += n
		for i := range q.head {
			if q.all[i] != nil {
				t.Fatalf("round %d: what was dropped is kept", round)
			}
		}
	}
	if q.len() != next-first || cap(q.all) > 4*q.len()+8 {
		t.Errorf("%d of %d are left, in %d", q.len(), next-first, cap(q.all))
	}
}
