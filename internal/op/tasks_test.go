package op

import "testing"

// A value that a lane has taken is no longer referred to, also when the queue has moved.
func TestTakenValuesAreLetGo(t *testing.T) {
	const n = 100
	var s backlog[*int, int]
	for range n {
		s.queue = append(s.queue, new(int))
	}
	for number := range n {
		if _, got, ok := s.take(); !ok || got != number {
			t.Fatalf("took %d, %t; want %d", got, ok, number)
		}
		held := 0
		for _, v := range s.queue[:cap(s.queue)] {
			if v != nil {
				held++
			}
		}
		if held != n-1-number {
			t.Fatalf("%d values are held after %d of %d were taken", held, number+1, n)
		}
	}
	if _, _, ok := s.take(); ok {
		t.Error("took a value of an empty queue")
	}
}
