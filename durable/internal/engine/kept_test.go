package engine

import (
	"slices"
	"testing"
)

func TestKept(t *testing.T) {
	var k Kept[string, int]
	want := func(key string, v int, there bool) {
		t.Helper()
		if got, ok := k.Take(key); got != v || ok != there {
			t.Errorf("%s: got %d, %v, want %d, %v", key, got, ok, v, there)
		}
	}
	want("a", 0, false)
	for i := range 3 {
		k.Add("a", 10+i)
		k.Add("b", 20+i)
	}
	want("a", 10, true)
	want("b", 20, true)
	k.Add("a", 13)
	want("a", 11, true)
	if got := k.All(); !slices.Equal(got, []int{21, 12, 22, 13}) {
		t.Errorf("got %v", got)
	}
	want("a", 12, true)
	want("a", 13, true)
	want("a", 0, false)
	if len(k.queues) != 1 {
		t.Errorf("there are %d queues, want that of b", len(k.queues))
	}
}

// A signal takes as long to receive if many others are kept: no memory is moved or made for it.
func TestKeptMany(t *testing.T) {
	var k Kept[string, int]
	for i := range 10_000 {
		k.Add("a", i)
	}
	next := 0
	if n := testing.AllocsPerRun(1000, func() {
		if v, ok := k.Take("a"); v != next || !ok {
			t.Errorf("got %d, %v, want %d", v, ok, next)
		}
		next++
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
