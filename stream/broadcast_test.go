package stream_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool"
)

type feed = stream.Feed[int]

var fed = stream.Fed[int]()

func TestBroadcast(t *testing.T) {
	sum, all := stream.Fold(fed, zero, add), stream.Count(stream.Filter(fed, func(v int) bool { return v%2 == 0 }))
	for _, n := range []int{0, 1, 1000} {
		plantest.WantResult(t, stream.Broadcast(stream.Slice[int](), 10, sum, all), plantest.Ints(n), []int{n * (n - 1) / 2, (n + 1) / 2})
	}
	slow := stream.Collect(stream.Through(fed, stream.Bound{Limit: 1}, delayByValue))
	plantest.WantResult(t, stream.Broadcast2(stream.Slice[int](), 2, sum, slow), []int{1, 2, 3}, flow.Pair[int, []int]{A: 6, B: []int{1, 2, 3}})
}

func TestBroadcastSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var given atomic.Int64
		release := make(chan step.Unit)
		slow := stream.Count(stream.Through(fed, stream.Bound{Limit: 2}, waitForRelease(release)))
		done := make(chan error)
		go func() {
			_, err := flow.Run(t.Context(), stream.Broadcast(stream.Generate(3, countingGenerator(&given)), 4, stream.Count(fed), slow), 100)
			done <- err
		}()
		synctest.Wait()
		if n := given.Load(); n != 9 {
			t.Errorf("the source has given %d elements, want 3 ahead, 4 buffered and 2 in the stage", n)
		}
		close(release)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// A branch that ends early doesn't make the others wait. When all have ended, the source is stopped.
func TestBroadcastEndsEarly(t *testing.T) {
	few := stream.Count(stream.Take(fed, 2))
	plantest.WantResult(t, stream.Broadcast(stream.Slice[int](), 3, few, stream.Count(fed)), plantest.Ints(1000), []int{2, 1000})
	asked, stopped := 0, false
	plantest.WantResult(t, stream.Broadcast(stream.Seq[int](), 3, few, few), numbers(&asked, &stopped), []int{2, 2})
	if !stopped || asked > 10 {
		t.Errorf("asked for %d, stopped is %t", asked, stopped)
	}
	idle := flow.Value[feed](7)
	plantest.WantResult(t, stream.Broadcast(stream.Slice[int](), 3, idle, stream.Count(fed)), plantest.Ints(1000), []int{7, 1000})
}

func TestBroadcastFails(t *testing.T) {
	odd := stream.Count(stream.Func(fed, even))
	if _, err := plantest.Run(t, stream.Broadcast(stream.Slice[int](), 3, odd, stream.Count(fed)), plantest.Ints(10)); elementOf(t, err) != 1 {
		t.Errorf("got %v", err)
	}
	if _, err := plantest.Run(t, stream.Broadcast(stream.Func(stream.Slice[int](), even), 3, stream.Count(fed)), plantest.Ints(10)); elementOf(t, err) != 1 {
		t.Errorf("got %v", err)
	}
	if _, err := plantest.Run(t, stream.Count(fed), feed{}); !errors.Is(err, fault.InvalidRequest) {
		t.Errorf("got %v", err)
	}
}

// A Feed is read in its branch: on another loop it would be filled and read at the same time, and later it gets no elements.
func TestFeedIsReadInItsBranch(t *testing.T) {
	count := stream.Count(fed)
	group := tool.NewGroup(1, tool.Options{})
	defer func() { _ = group.Shutdown(t.Context()) }()
	inside := func(branch step.Step[feed, int]) flow.Plan[[]int, int] {
		return flow.Then(stream.Broadcast(stream.Slice[int](), 1, branch, count), step.Map(func(all []int) int { return all[0] }))
	}
	var kept feed
	keep := step.Map(func(f feed) int {
		kept = f
		return 0
	})
	behind := func(source stream.Stream[[]int, int], branch step.Step[feed, int]) flow.Plan[[]int, int] {
		ended := flow.Then(stream.Broadcast(source, 10, branch, count), step.Map(func([]int) int { return 0 }))
		survived := flow.Catch(ended, func(step.Scope, error) step.Next[int] { return step.Succeed(0) })
		return flow.Then(survived, flow.Then(step.Map(func(int) feed { return kept }), count))
	}
	slowly := stream.Through(stream.Slice[int](), stream.Bound{Limit: 1}, flow.Then(step.Delay[int](time.Millisecond), step.Func(func(_ step.Scope, v int) (int, error) { return even(v) })))
	for name, tt := range map[string]struct {
		plan flow.Plan[[]int, int]
		want string
	}{
		"on another loop": {inside(flow.On(group, count)), "on another loop"},
		"in another run": {inside(step.Await(func(ctx context.Context, f feed) (int, error) {
			return flow.Run(ctx, count, f)
		})), "on another loop"},
		"behind its branch":         {behind(stream.Slice[int](), keep), "has ended"},
		"behind a failed Broadcast": {behind(slowly, flow.Then(keep, step.Delay[int](time.Hour))), "has ended"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if n, err := flow.Run(ctx, tt.plan, plantest.Ints(10)); !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%d, %v", n, err)
			}
		})
	}
}

// P5, L3: a break or continue in a branch ends the stream and acts on the loop around it.
func TestBroadcastBreak(t *testing.T) {
	leavesLoop(t, func(next func() step.Next[int]) flow.Plan[[]int, int] {
		leaves := step.New(func(step.Scope, feed) step.Next[int] { return next() })
		return flow.Then(stream.Broadcast(stream.Slice[int](), 3, stream.Count(fed), leaves), step.Map(func(all []int) int { return all[0] }))
	})
}

// Under schedules with few delays, with a cancel at any point, both branches get the same elements, each of
// which is delivered or has one letter, and the run ends.
func TestBroadcastEverySchedule(t *testing.T) {
	explore.Check(t, explore.Bounds{Delays: delays(), Schedules: 3000}, func(x *explore.Trial) error {
		var source, quick, slow elementFates
		s := stream.Catch(stream.Through(source.source(), stream.Bound{Limit: 2}, step.Delay[int](time.Millisecond)), source.letter)
		s = stream.Map(s, func(v int) int {
			quick.taken, slow.taken = append(quick.taken, v), append(slow.taken, v)
			source.delivered = append(source.delivered, v)
			return v
		})
		naps := stream.Through(fed, stream.Bound{Limit: 1, Buffer: 1}, step.Delay[int](3*time.Millisecond))
		run := explore.Start(t.Context(), x, stream.Broadcast(s, 2,
			stream.ForEach(stream.Catch(fed, quick.letter), quick.deliver),
			stream.ForEach(stream.Catch(naps, slow.letter), slow.deliver),
		), plantest.Ints(5))
		cancelled := false
		if err := x.Run(explore.Action{Name: "cancel", Do: func() { cancelled = run.Cancel(nil) }}); err != nil {
			return err
		}
		_, err := run.Result()
		return errors.Join(source.check(err, cancelled, 5), quick.check(err, cancelled, 5), slow.check(err, cancelled, 5))
	})
}
