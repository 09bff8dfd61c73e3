package frame

import "testing"

func TestAddedBranchesAreKeptToABound(t *testing.T) {
	const most = 4
	for added, kept := range map[int]bool{1: true, 10 * most: false} {
		k := &Fork{Branches: make([]Branch, 1)}
		for range added {
			k.Add()
		}
		if k.Shrink(most); cap(k.later) > most || (cap(k.later) > 0) != kept {
			t.Errorf("%d added: room for %d is kept", added, cap(k.later))
		}
	}
}
