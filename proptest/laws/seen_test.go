package laws_test

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/proptest/explore"
)

var wholeSearch = flag.Bool("laws.whole", false, "search without regard to what was seen before as well, and compare the outcomes")

// everySchedule checks body under every schedule within the bounds, but for what follows from states that it has seen. body
// starts its run with ctx, and notes all on which its verdict depends.
func everySchedule(t *testing.T, bounds explore.Bounds, body func(ctx context.Context, x *explore.Trial) error) {
	t.Helper()
	pruned := func(x *explore.Trial) error { return body(seen(x), x) }
	if !*wholeSearch {
		explore.Check(t, bounds, pruned)
		return
	}
	bounds.Schedules = 100_000
	full := explore.All(bounds, func(x *explore.Trial) error { return body(context.Background(), x) })
	less := explore.All(bounds, pruned)
	if full.Failure != nil || less.Failure != nil || !full.Complete || !less.Complete || full.Outcomes != less.Outcomes {
		t.Errorf("%+v; with all states %+v", less, full)
	}
	t.Logf("%d schedules of %d have the %d outcomes", less.Schedules, full.Schedules, full.Outcomes)
}

// seen returns a context for a run of x, and makes the search try nothing again that follows from a state that it has seen:
// one with the same notes, the same history of each step, whatever the order of events of different steps, and as many
// callbacks at the same time. That isn't all there is to a state, so -laws.whole shows that no outcome is missed.
func seen(x *explore.Trial) context.Context {
	histories := map[string]uint64{} // of steps, by their paths
	var all uint64                   // the sum of the histories
	x.State(func() string { return fmt.Sprint(all, x.Loop().Now(), x.Loop().Pending(), x.Notes()) })
	return observe.With(context.Background(), observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			path := e.Path()
			h := fnv.New64a()
			_, _ = fmt.Fprint(h, path, histories[path], e.Kind, e.Outcome, e.Err)
			all += h.Sum64() - histories[path]
			histories[path] = h.Sum64()
		}
	}))
}
