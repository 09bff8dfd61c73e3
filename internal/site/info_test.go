package site

import "testing"

func TestSiteIsLookedUpOnce(t *testing.T) {
	i := &Info{Made: Here()}
	want := i.Made.Site()
	if got := i.Site(); got != want {
		t.Errorf("made at %v, want %v", got, want)
	}
	if n := testing.AllocsPerRun(100, func() {
		if i.Site() != want {
			t.Error("the second call returns another site")
		}
	}); n != 0 {
		t.Errorf("%v allocations a call, want 0", n)
	}
}

func BenchmarkSite(b *testing.B) {
	i := &Info{Made: Here()}
	for b.Loop() {
		_ = i.Site()
	}
}
