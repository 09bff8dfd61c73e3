package timeline

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/observe"
)

func TestComparePaths(t *testing.T) {
	want := []string{"0", "0/2", "0/10", "0/each.0/0", "0/par.2/0", "0/par.2/0/0", "0/par.10/0", "2", "10"}
	got := slices.Sorted(slices.Values(want))
	slices.SortFunc(got, comparePaths)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestStrand(t *testing.T) {
	for path, want := range map[string]string{
		"": "", "0": "", "0/1/2": "", "0/par.1/2": "0/par.1", "0/par.1/2/each.3/4/5": "0/par.1/2/each.3",
		"0/par.1": "0/par.1",
	} {
		if got := fiber(path); got != want {
			t.Errorf("fiber(%q) is %q, want %q", path, got, want)
		}
	}
}

func TestTicks(t *testing.T) {
	for end, want := range map[time.Duration]struct {
		every time.Duration
		n     int
	}{
		0:                      {0, 1},
		3:                      {1, 4},
		8 * time.Second:        {time.Second, 9},
		330 * time.Millisecond: {50 * time.Millisecond, 7},
		math.MaxInt64:          {2_000_000_000_000_000_000, 5},
	} {
		got := axis{end: end}.ticks()
		if len(got) != want.n || len(got) > 1 && got[1] != want.every {
			t.Errorf("up to %v: %v", end, got)
		}
	}
}

func TestShortened(t *testing.T) {
	for s, want := range map[string]string{"abc": "abc", "abcd": "ab…", "äöü": "äöü", "äöüß": "äö…"} {
		if got := shortened(s, 3); got != want {
			t.Errorf("shortened(%q) is %q, want %q", s, got, want)
		}
	}
}

// A guard that has changed has a sign of its own, and not that of a limit.
func TestSigns(t *testing.T) {
	for kind, want := range map[observe.Kind]string{
		observe.Raised: "raised", observe.Handled: "handled", observe.TimedOut: "limit", observe.Cancelled: "limit", observe.GuardChanged: "guard",
	} {
		if got := sign(kind); got != want || outline[got] == "" || !strings.Contains(legend, `<path class="`+got+`"`) {
			t.Errorf("%v has the sign %q, want %q, with an outline and in the legend", kind, got, want)
		}
	}
}
