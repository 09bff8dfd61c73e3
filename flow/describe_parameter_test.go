package flow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/syncx"
)

// parametersOf returns a line for each part of a plan that has parameters, like "timeout: limit 1s".
func parametersOf(t *flow.Tree) (all []string) {
	for part := range t.All() {
		var set []string
		for _, p := range part.Parameters {
			set = append(set, p.String())
		}
		if set != nil {
			all = append(all, part.Kind+": "+strings.Join(set, ", "))
		}
	}
	return all
}

// The parameters that a step was built with are in the description, also if the step has a name.
func TestParameters(t *testing.T) {
	id := step.Map(func(n int) int { return n })
	iteration := step.Map(func(i loopx.Iteration[int]) int { return i.Carry })
	each := flow.Describe[[]int, []int]
	ints := stream.Slice[int]()
	memo := share.NewMemo(share.MemoPolicy{Lifetime: time.Hour, Size: -1}, id)
	batch := share.NewBatch(share.BatchPolicy{Window: time.Second}, step.Map(func(in []int) []share.Answer[int] { return make([]share.Answer[int], len(in)) }))
	keyed := syncx.PerKey(func(n int) int { return n }, func(int) syncx.Guard { return syncx.NewMutex(1, -1) })
	for _, c := range []struct {
		of   *flow.Tree
		want string
	}{
		{flow.Describe(flow.Timeout(time.Minute, id)), "timeout: limit 1m0s"},
		{flow.Describe(flow.Named("n", flow.Timeout(time.Minute, id))), "timeout: limit 1m0s"},
		{flow.Describe(flow.Grace(-1, id)), "grace: grace unlimited"},
		{flow.Describe(flow.Linger(time.Second, id)), "linger: grace 1s"},
		{flow.Describe(flow.Hedge(time.Second, id, id)), "hedge: delay 1s"},
		{flow.Describe(flow.Some(1, id, id)), "some: wins 1"},
		{flow.Describe(step.Delay[int](3 * time.Second)), "delay: delay 3s"},
		{flow.Describe(step.AwaitGrace(time.Second, func(context.Context, int) (int, error) { return 0, nil })), "await: grace 1s"},
		{each(flow.ParEach(4, id)), "each: bound 4"},
		{each(flow.ParEach(-1, id)), "each: bound unlimited"},
		{each(flow.NewTasks[int, int]("t").All(3, id)), "tasks: bound 3"},
		{flow.Describe(retry.Of(retry.Policy{}, id)), "retry: tries 3"},
		{
			flow.Describe(retry.Of(retry.Policy{Tries: -1, Elapsed: time.Hour, Pause: time.Second, Factor: 1.5, MaxPause: time.Minute, Jitter: 0.5}, id)),
			"retry: tries unlimited, elapsed 1h0m0s, pause 1s, factor 1.5, longest pause 1m0s, jitter 0.5",
		},
		{flow.Describe(loopx.Repeat(7, iteration)), "repeat: count 7"},
		{flow.Describe(loopx.Labelled(loopx.NewLabel[int]("l"), loopx.Repeat(7, iteration))), "repeat: count 7"},
		{flow.Describe(loopx.Every(time.Minute, id)), "every: period 1m0s"},
		{flow.Describe(syncx.Sync(syncx.NewMutex(2, -1), id)), "sync: guard syncx.Mutex, places 2, queue unlimited"},
		{flow.Describe(syncx.SyncWeighted(syncx.NewMutex(2, 3), func(int) int { return 1 }, id)), "sync: guard syncx.Mutex, places 2, queue 3"},
		{flow.Describe(syncx.Sync(syncx.NewThrottle(5, time.Second, 0), id)), "sync: guard syncx.Throttle, rate 5, period 1s, queue 0"},
		{flow.Describe(syncx.Sync(syncx.NewTokenBucket(5, time.Second, 2, 0), id)), "sync: guard syncx.TokenBucket, every 200ms, queue 0, burst 2"},
		{flow.Describe(syncx.Sync(syncx.NewLimiter(syncx.Limits{Concurrent: 2, Rate: 9}), id)), "sync: guard syncx.Limiter, places 2, queue 0, rate 9, period 1s, burst 0"},
		{flow.Describe(syncx.Sync(syncx.NewBreaker(syncx.BreakerPolicy{Name: "bank"}), id)), "sync: guard syncx.Breaker, name bank, failures 5, last 5, pause 1m0s, probes 1"},
		{flow.Describe(syncx.Sync(syncx.NewAdaptive(syncx.AdaptivePolicy{}), id)), "sync: guard syncx.Adaptive, least 1, most 200, queue 0, window 1s, tolerance 1.5"},
		{flow.Describe(syncx.SyncKeyed(keyed, id)), "sync: guard one for each key"},
		{flow.Describe(memo.Get()), "memo: lifetime 1h0m0s, size unlimited"},
		{flow.Describe(batch.Get()), "batch: window 1s, most unlimited"},
		{flow.Describe(stream.Collect(stream.Through(ints, stream.Bound{Limit: 2, Buffer: 3, Unordered: true}, id))), "through: limit 2, buffer 3, order as they come"},
		{flow.Describe(stream.Collect(stream.Batch(ints, stream.Batching{Size: 10, Wait: time.Second}))), "batch: size 10, wait 1s"},
		{flow.Describe(stream.Collect(stream.Take(stream.Skip(ints, 1), 2))), "take: number 2 skip: number 1"},
		{flow.Describe(stream.Collect(stream.Window(ints, 3, 1))), "window: size 3, step 1"},
		{flow.Describe(stream.Collect(stream.Throttle(ints, 3, time.Second))), "throttle: number 3, period 1s"},
		{flow.Describe(stream.Collect(stream.Ticks[int](time.Second))), "ticks: period 1s"},
		{flow.Describe(stream.Collect(stream.Lines[*strings.Reader](8))), "lines: ahead 8"},
	} {
		got := parametersOf(c.of)
		slices.Sort(got)
		want := strings.Split(c.want, " skip: ")
		if len(want) > 1 {
			want = []string{"skip: " + want[1], want[0]}
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A changed parameter is a change of the plan, but not of its digest. By the parameters Diff finds which of two such
// steps was added or removed.
func TestDiffOfParameters(t *testing.T) {
	id := step.Map(func(n int) int { return n })
	limited := func(d ...time.Duration) *flow.Tree {
		p := flow.Of(id)
		for _, d := range d {
			p = flow.Then(p, flow.Timeout(d, flow.Timeout(time.Hour, id)))
		}
		return flow.Describe(p)
	}
	copied := func(from *flow.Tree) *flow.Tree { // as another process reads it
		text, err := json.Marshal(from) //nolint:musttag // a Site is written by the names of its fields
		if err != nil {
			t.Fatal(err)
		}
		to := new(flow.Tree)
		if err = json.Unmarshal(text, to); err != nil { //nolint:musttag // as above
			t.Fatal(err)
		}
		return to
	}
	one, two := limited(time.Second), limited(2*time.Second)
	if one.Digest != two.Digest {
		t.Error("the digests differ")
	}
	for _, c := range []struct {
		before, after *flow.Tree
		want          string
	}{
		{one, copied(one), "[]"},
		{one, copied(two), "[~ 1: limit 1s → 2s]"},
		{limited(time.Second, time.Minute), limited(time.Minute), "[- 1 timeout, limit 1s]"},
		{limited(time.Minute), limited(time.Second, time.Minute), "[+ 1 timeout, limit 1s]"},
		{flow.Describe(flow.Timeout(time.Second, id)), flow.Describe(flow.Grace(time.Second, id)), "[~ 0: kind timeout → grace]"},
	} {
		if got := fmt.Sprint(flow.Diff(c.before, c.after)); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
