package seam

import "testing"

// A pooled instance keeps as many lanes as are likely to be needed again, and
// holds nothing in them.
func TestLanesAreKept(t *testing.T) {
	for lanes, kept := range map[int]int{1: 1, kept: kept, kept + 1: 0} {
		o := new(each[int, string])
		o.grow(lanes)
		for _, l := range o.lanes {
			l.sub = new(Outlet[string])
		}
		o.Clear()
		if n := cap(o.fork.Branches); n != kept || len(o.lanes) != kept {
			t.Errorf("%d of %d lanes are kept, want %d", n, lanes, kept)
		}
		for _, l := range o.lanes {
			if l.sub != nil {
				t.Fatal("a lane holds sub-steps")
			}
		}
	}
}
