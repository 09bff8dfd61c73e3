package syncx

import (
	"math"
	"testing"
	"time"
)

func TestLater(t *testing.T) {
	const latest = time.Duration(math.MaxInt64)
	for _, c := range []struct{ t, d, want time.Duration }{
		{1, 2, 3}, {3, -2, 1}, {-3, 2, -1}, {-3, latest, latest - 3},
		{latest - 2, 1, latest - 1}, {latest - 2, 2, latest}, {latest - 2, 3, latest}, {latest, latest, latest}, {latest, -1, latest - 1},
	} {
		if got := later(c.t, c.d); got != c.want {
			t.Errorf("later(%d, %d) is %d, want %d", c.t, c.d, got, c.want)
		}
	}
}
