package laws_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type caller struct {
	at, takes time.Duration
	key       int
}

// keyedSays is G8 written down naively, for mutexes: when each section ends, and how often each key's guard is made. Asks
// are ordered by time, and no end coincides with anything.
func keyedSays(keep int, asks []caller) (log []string, busy, idle int) {
	type event struct {
		at   time.Duration
		i    int
		asks bool
	}
	var (
		events []event
		free   = map[int]time.Duration{} // when a key's last section ends
		uses   = map[int]int{}
		kept   []int // keys of unused guards, the one left last in front
		made   = map[int]int{}
	)
	for i, a := range asks {
		begins := max(a.at, free[a.key])
		free[a.key] = begins + a.takes
		events = append(events, event{a.at, i, true}, event{free[a.key], i, false})
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	for _, e := range events {
		k := asks[e.i].key
		if !e.asks {
			if uses[k]--; uses[k] == 0 {
				kept = append([]int{k}, kept...)
				if keep >= 0 {
					kept = kept[:min(len(kept), keep)]
				}
			}
			log = append(log, fmt.Sprintf("%d ends at %v", e.i, e.at))
			continue
		}
		if at := slices.Index(kept, k); at >= 0 {
			kept = slices.Delete(kept, at, at+1)
		} else if uses[k] == 0 {
			made[k]++
			log = append(log, fmt.Sprintf("guard %d of %d", made[k], k))
		}
		uses[k]++
	}
	for _, n := range uses {
		busy += min(n, 1)
	}
	return log, busy, len(kept)
}

// Law 78. Each key of a Keyed has a guard of its own. If too many guards are unused, the one left the longest ago is
// dropped, and made anew when it is needed.
func TestG8KeyedIsAGuardForEachKey(t *testing.T) {
	dropped := 0
	rapid.Check(t, func(rt *rapid.T) {
		keep := rapid.IntRange(-1, 3).Draw(rt, "keep")
		asks := crowd(rt, rapid.Custom(func(rt *rapid.T) caller {
			return caller{
				time.Duration(rapid.IntRange(0, 60).Draw(rt, "at")) * time.Millisecond,
				time.Duration(rapid.IntRange(0, 9).Draw(rt, "takes")) * time.Millisecond,
				rapid.IntRange(0, 5).Draw(rt, "key"),
			}
		}), 60)
		slices.SortStableFunc(asks, func(a, b caller) int { return cmp.Compare(a.at, b.at) })
		odd := time.Duration(1)
		for i := range asks { // so that no end coincides with anything
			odd = odd * 7919 % 999_983
			asks[i].takes += odd
		}

		loop := tooltest.New()
		var got []string
		made := map[int]int{}
		keyed := syncx.PerKey(func(i int) int { return asks[i].key }, func(key int) syncx.Guard {
			made[key]++
			got = append(got, fmt.Sprintf("guard %d of %d", made[key], key))
			return syncx.NewMutex(1, -1)
		}).Keep(keep)
		s := syncx.SyncKeyed(keyed, step.DelayBy(func(_ step.Scope, i int) time.Duration { return asks[i].takes }))
		for i, a := range asks {
			_, _ = loop.Deferred(a.at, func() {
				flow.Start(context.Background(), loop, s, i).Then(func(int, error) {
					got = append(got, fmt.Sprintf("%d ends at %v", i, loop.Now()))
				})
			})
		}
		loop.Run()
		want, busy, idle := keyedSays(keep, asks)
		if b, n := keyed.Guards(); !slices.Equal(got, want) || b != busy || n != idle {
			rt.Fatalf("keep %d, asks %v\n got %v, %d used, %d kept\nwant %v, %d used, %d kept", keep, asks, got, b, n, want, busy, idle)
		}
		for _, n := range made {
			if n > 1 {
				dropped++
			}
		}
	})
	if dropped == 0 {
		t.Error("no guard was made anew")
	}
}
