package stream

import "testing"

func TestQueueGrows(t *testing.T) {
	for before := range 9 {
		q := newQueue(8)
		next, want := int32(0), int32(0)
		push := func(n int) {
			for range n {
				q.push(next)
				next++
			}
		}
		push(before)
		for range before {
			want = q.pop() + 1
		}
		push(30)
		for q.n > 0 {
			if first, got := q.first(), q.pop(); first != want || got != want {
				t.Fatalf("after %d: got %d and %d, want %d", before, first, got, want)
			}
			want++
		}
		if want != next {
			t.Errorf("after %d: %d of %d", before, want, next)
		}
	}
}
