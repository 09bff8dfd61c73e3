package laws_test

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/proptest/explore"
)

var wholeSearch = flag.Bool("laws.whole", false, "search without regard to what was seen before as well, and compare the outcomes")

// everySchedule checks body under every schedule within the bounds, except for what follows from states that were seen.
// body starts its run with ctx, and notes everything that its verdict depends on.
func everySchedule(t *testing.T, bounds explore.Bounds, body func(ctx context.Context, x *explore.Trial) error) {
	t.Helper()
	pruned := func(x *explore.Trial) error { return body(seen(x), x) }
	if !*wholeSearch {
		explore.Check(t, bounds, pruned)
		return
	}
	bounds.Schedules = 100_000
	want, full := outcomesOf(bounds, func(x *explore.Trial) error { return body(context.Background(), x) })
	got, less := outcomesOf(bounds, pruned)
	if full.Failure != nil || less.Failure != nil || !full.Complete || !less.Complete || !maps.Equal(got, want) {
		t.Errorf("%+v; with all states %+v", less, full)
	}
	t.Logf("%d schedules of %d have the %d outcomes", less.Schedules, full.Schedules, full.Outcomes)
}

func outcomesOf(bounds explore.Bounds, body explore.Body) (map[string]bool, explore.Result) {
	notes := map[string]bool{}
	r := explore.All(bounds, func(x *explore.Trial) error {
		err := body(x)
		notes[strings.Join(x.Notes(), "\n")] = true
		return err
	})
	return notes, r
}

// seen returns a context for a run of x, and makes the search skip what follows from a state that it has seen. Two states
// count as the same if they have the same notes, the same history of each step, and as many callbacks at the same time. The history
// of a step is forgotten when a step around it ends. There is more to a state than that, so -laws.whole checks that no outcome is
// missed.
func seen(x *explore.Trial) context.Context {
	histories := map[string]uint64{} // of steps, by their paths
	var all uint64                   // the sum of the histories
	ends := func(path string) {
		for inner, h := range histories {
			if strings.HasPrefix(inner, path+"/") {
				all -= h
				delete(histories, inner)
			}
		}
	}
	x.State(func() string { return fmt.Sprint(all, x.Loop().Now(), x.Loop().Pending(), x.Notes()) })
	return observe.With(context.Background(), observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			path := e.Path()
			h := fnv.New64a()
			if e.Kind == observe.StepEnd {
				ends(path)
			}
			_, _ = fmt.Fprint(h, path, histories[path], e.Kind, e.Outcome, e.Err)
			all += h.Sum64() - histories[path]
			histories[path] = h.Sum64()
		}
	}))
}
