package op

import "testing"

func TestManyBranchesAreNotKept(t *testing.T) {
	for n, want := range map[int]int{1: 1, kept: kept, kept + 1: 0} {
		var b branches
		b.Grow(n)
		b.Clear()
		if got := cap(b.Branches); got != want {
			t.Errorf("room for %d of %d branches is kept, want %d", got, n, want)
		}
	}
}
