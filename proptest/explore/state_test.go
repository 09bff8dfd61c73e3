package explore_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/proptest/explore"
)

// threads is a drawn program of threads, each a row of callbacks that change two variables.
type threads [][]func(a, b int) (int, int)

func drawThreads(r *rand.Rand) (p threads) {
	for range 2 + r.IntN(2) {
		var steps []func(a, b int) (int, int)
		for range 1 + r.IntN(3) {
			m, n := 1+r.IntN(3), r.IntN(3)
			steps = append(steps, []func(a, b int) (int, int){
				func(a, b int) (int, int) { return a*m + n, b },
				func(a, b int) (int, int) { return a, b*m + n },
				func(a, b int) (int, int) { return a + b%7*n, b },
			}[r.IntN(3)])
		}
		p = append(p, steps)
	}
	return p
}

func (p threads) search(delays int, told bool) (map[string]bool, explore.Result) {
	ends := map[string]bool{}
	r := explore.All(explore.Bounds{Schedules: 100_000, Delays: delays}, func(x *explore.Trial) error {
		a, b := 0, 0
		at := make([]int, len(p))
		var waiting []int // threads in the order in which they wait, which matters with a bound
		if told {
			x.State(func() string {
				if delays > 0 {
					return fmt.Sprint(a, b, at, waiting, x.Notes())
				}
				return fmt.Sprint(a, b, at, x.Notes())
			})
		}
		var next func(thread int)
		next = func(thread int) {
			if at[thread] == len(p[thread]) {
				return
			}
			waiting = append(waiting, thread)
			_, _ = x.Loop().Immediate(func() {
				i := slices.Index(waiting, thread)
				waiting = slices.Delete(waiting, i, i+1)
				a, b = p[thread][at[thread]](a, b)
				if at[thread]++; at[thread] == len(p[thread]) {
					x.Note("thread %d ends", thread)
				}
				next(thread)
			})
		}
		for thread := range p {
			next(thread)
		}
		err := x.Run(explore.Action{Name: "double", Do: func() { a *= 2 }})
		ends[fmt.Sprint(a, b)] = true
		return err
	})
	return ends, r
}

// What follows from a known state isn't tried again, and nothing is missed.
func TestStateLosesNothing(t *testing.T) {
	for _, delays := range []int{0, 2, 3} {
		t.Run(fmt.Sprint("delays ", delays), func(t *testing.T) { stateLosesNothing(t, delays) })
	}
}

// Time passes before the first of the callbacks that don't depend on it, not before each of them. Without the time in the
// state, it passes before each.
func TestTimePassesWhereItMakesADifference(t *testing.T) {
	for _, c := range []struct {
		tells  string
		lapses int // in trials of one delay
	}{
		{"nothing", 4},
		{"all", 1},
		{"all but the time", 4},
	} {
		lapses := 0
		r := explore.All(explore.Bounds{Delays: 1}, func(x *explore.Trial) error {
			x.Slow()
			callbacks, rang := 0, false
			switch c.tells {
			case "all":
				x.State(func() string { return fmt.Sprint(callbacks, rang, x.Loop().Now()) })
			case "all but the time":
				x.State(func() string { return fmt.Sprint(callbacks, rang) })
			}
			var next func()
			next = func() {
				if callbacks++; callbacks < 4 {
					_, _ = x.Loop().Immediate(next)
				} else if x.Loop().Now() > 0 {
					lapses++
				}
			}
			_, _ = x.Loop().Immediate(next)
			_, _ = x.Loop().Deferred(time.Second, func() { rang = true })
			return x.Run()
		})
		if r.Failure != nil || !r.Complete || lapses != c.lapses || r.Trials != 1+c.lapses {
			t.Errorf("%+v: %d lapses, %+v", c, lapses, r)
		}
	}
}

func stateLosesNothing(t *testing.T, delays int) {
	before, after := 0, 0
	for seed := range uint64(100) {
		p := drawThreads(rand.New(rand.NewPCG(seed, 3)))
		want, full := p.search(delays, false)
		if !full.Complete {
			continue
		}
		got, pruned := p.search(delays, true)
		if !maps.Equal(got, want) || pruned.Outcomes != full.Outcomes || !pruned.Complete || pruned.Trials > full.Trials {
			t.Fatalf("seed %d: %v by %+v, without State %v by %+v", seed, got, pruned, want, full)
		}
		before += full.Trials
		after += pruned.Trials
	}
	if t.Logf("%d trials, %d without State", after, before); after >= before || delays == 0 && after*4 > before {
		t.Errorf("State saves too little")
	}
}
