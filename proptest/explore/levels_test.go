package explore_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/futoin-go/asyncsteps/proptest/explore"
)

// A search with a bound tries each schedule within it once, and those with fewer delays earlier.
func TestFewDelaysComeFirst(t *testing.T) {
	for seed := range uint64(50) {
		tried := func(bounds explore.Bounds) (all []string, delays []int) {
			r := explore.All(bounds, func(x *explore.Trial) error {
				var taken explore.Schedule
				r := rand.New(rand.NewPCG(seed, 0)) // the number of questions and of their answers depends on the answers
				for range 2 + r.IntN(5) {
					answer := x.Choose(2 + r.IntN(3))
					taken = append(taken, answer)
					r = rand.New(rand.NewPCG(r.Uint64(), uint64(answer)))
					if r.IntN(5) == 0 {
						break
					}
				}
				all, delays = append(all, fmt.Sprint(taken)), append(delays, taken.Delays())
				return nil
			})
			if !r.Complete || r.Trials != len(all) {
				t.Fatalf("seed %d: %+v of %d", seed, r, len(all))
			}
			return all, delays
		}
		full, delays := tried(explore.Bounds{})
		for bound := 1; bound < 4; bound++ {
			var want []string
			for i, d := range delays {
				if d <= bound {
					want = append(want, full[i])
				}
			}
			got, delays := tried(explore.Bounds{Delays: bound})
			if !slices.IsSorted(delays) {
				t.Errorf("seed %d: delays %v", seed, delays)
			}
			slices.Sort(want)
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("seed %d, at most %d delays:\n%q, want\n%q", seed, bound, got, want)
			}
		}
	}
}
