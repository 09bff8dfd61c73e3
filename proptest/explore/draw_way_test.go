package explore

import (
	"math/rand/v2"
	"testing"
)

func drawnBy(trials int, way func(d *draws, r *rand.Rand) func(q question) int, body Body) {
	var d draws
	_ = body(newTrial(d.plain))
	for i := range trials {
		_ = body(newTrial(way(&d, rand.New(rand.NewPCG(1, uint64(i))))))
	}
}

// Both ways hold a callback up, in some schedules, until fifteen others have run, each of which follows from the one before.
func TestWaysHoldUp(t *testing.T) {
	const n, trials = 15, 1000
	for name, way := range map[string]func(d *draws, r *rand.Rand) func(q question) int{
		"near": (*draws).near, "prior": (*draws).prior,
	} {
		late := 0
		drawnBy(trials, way, func(x *Trial) error {
			left := n
			_, _ = x.loop.Immediate(func() {
				if left == 0 {
					late++
				}
			})
			var next func()
			next = func() {
				if left--; left > 0 {
					_, _ = x.loop.Immediate(next)
				}
			}
			_, _ = x.loop.Immediate(next)
			return x.Run()
		})
		if late < trials/100 {
			t.Errorf("%s: %d times of %d", name, late, trials)
		}
	}
}

func TestNearDeparts(t *testing.T) {
	var times [31]int
	drawnBy(1000, (*draws).near, func(x *Trial) error {
		departures := 0
		for range 30 {
			departures += x.Choose(2)
		}
		times[departures]++
		return nil
	})
	for n, want := range []int{0, 200, 100, 20, 0} {
		if got := times[n]; got < want || n > 3 && got > 0 {
			t.Errorf("%d departures: %d times", n, got)
		}
	}
}
