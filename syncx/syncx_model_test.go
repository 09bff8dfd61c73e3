package syncx_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

type entry struct {
	at     time.Duration
	weight int
}

// throttled is a model of G3, G5 and G11: it returns when each entry enters, or -1 if it is rejected.
func throttled(limit int, period time.Duration, maxQueue int, asks []entry) []time.Duration {
	enters := make([]time.Duration, len(asks))
	var (
		queue   []int
		end     time.Duration = -1 // end of the window; none is open before the first entry
		entered int
	)
	reset := func(now time.Duration) {
		for len(queue) > 0 && end <= now {
			for entered = 0; len(queue) > 0 && entered+asks[queue[0]].weight <= limit; queue = queue[1:] {
				enters[queue[0]] = end
				entered += asks[queue[0]].weight
			}
			end += period
		}
	}
	for i, ask := range asks {
		now := ask.at
		reset(now)
		if end <= now {
			end, entered = now+period, 0
		}
		switch {
		case len(queue) == 0 && entered+ask.weight <= limit:
			entered += ask.weight
			enters[i] = now
		case maxQueue >= 0 && len(queue) >= maxQueue:
			enters[i] = -1
		default:
			queue = append(queue, i)
		}
	}
	reset(1 << 62)
	return enters
}

func TestThrottleModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 4).Draw(rt, "max")
		period := time.Duration(rapid.IntRange(1, 20).Draw(rt, "period")) * ms
		maxQueue := rapid.IntRange(-1, 5).Draw(rt, "queue")
		asks := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) entry {
			return entry{time.Duration(rapid.IntRange(0, 100).Draw(rt, "ms")) * ms, rapid.IntRange(1, limit).Draw(rt, "weight")}
		}), 0, 40).Draw(rt, "asks")
		slices.SortStableFunc(asks, func(a, b entry) int { return cmp.Compare(a.at, b.at) })

		h := newHarness(t)
		weight := func(name string) int {
			i, _ := strconv.Atoi(name)
			return asks[i].weight
		}
		s := syncx.SyncWeighted(syncx.NewThrottle(limit, period, maxQueue), weight, h.stamp())
		for i, ask := range asks {
			h.at(ask.at, fmt.Sprint(i), s)
		}
		h.Run()
		var want []string
		for i, at := range throttled(limit, period, maxQueue, asks) {
			if at < 0 {
				want = append(want, fmt.Sprintf("%d!DefenseRejected", i))
			} else {
				want = append(want, fmt.Sprintf("%d@%d", i, at/ms))
			}
		}
		slices.Sort(want)
		slices.Sort(h.Lines)
		if !slices.Equal(h.Lines, want) {
			rt.Fatalf("entries of %v\n got %v\nwant %v", asks, h.Lines, want)
		}
	})
}

type visit struct {
	at, stays        time.Duration
	weight, priority int
}

// visited is a model of G2, G5, G11 and G12: it returns what happens, in order.
func visited(places, maxQueue int, byPriority bool, visits []visit) []string {
	var log []string
	var queue []int
	inside := map[int]time.Duration{} // until when each flow is inside
	goesBefore := func(i, j int) bool { return byPriority && visits[i].priority > visits[j].priority }
	fits := func(i int) bool {
		taken := 0
		for j := range inside {
			taken += visits[j].weight
		}
		return taken+visits[i].weight <= places
	}
	enter := func(i int, now time.Duration) {
		log = append(log, fmt.Sprintf("+%d", i))
		inside[i] = now + visits[i].stays
	}
	leaveUntil := func(end time.Duration) {
		for {
			first, now := -1, end
			for i, until := range inside {
				if until < now {
					first, now = i, until
				}
			}
			if first < 0 {
				return
			}
			log = append(log, fmt.Sprintf("-%d", first))
			for delete(inside, first); len(queue) > 0 && fits(queue[0]); queue = queue[1:] {
				enter(queue[0], now)
			}
		}
	}
	for i, v := range visits {
		leaveUntil(v.at)
		if fits(i) && (len(queue) == 0 || goesBefore(i, queue[0])) {
			enter(i, v.at)
			continue
		}
		if maxQueue >= 0 && len(queue) >= maxQueue {
			out := i
			if n := len(queue) - 1; n >= 0 && goesBefore(i, queue[n]) {
				out, queue = queue[n], queue[:n]
			}
			log = append(log, fmt.Sprintf("%d!DefenseRejected", out))
			if out == i {
				continue
			}
		}
		at := slices.IndexFunc(queue, func(j int) bool { return goesBefore(i, j) })
		if at < 0 {
			at = len(queue)
		}
		queue = slices.Insert(queue, at, i)
	}
	leaveUntil(1 << 62)
	return log
}

func TestMutexModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		places := rapid.IntRange(1, 4).Draw(rt, "places")
		maxQueue := rapid.IntRange(-1, 4).Draw(rt, "queue")
		byPriority := rapid.Bool().Draw(rt, "by priority")
		visits := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) visit {
			draw := func(name string, from, to int) int { return rapid.IntRange(from, to).Draw(rt, name) }
			return visit{
				at: time.Duration(draw("at", 0, 20)) * time.Second, stays: time.Duration(draw("stays", 0, 8)) * time.Second,
				weight: draw("weight", 1, places), priority: draw("priority", -1, 2),
			}
		}), 0, 12).Draw(rt, "visits")
		slices.SortStableFunc(visits, func(a, b visit) int { return cmp.Compare(a.at, b.at) })
		for i := range visits { // so that no two flows come, or leave, at the same time
			visits[i].at += 1 << i
			visits[i].stays += 1 << (len(visits) + i)
		}

		h := newHarness(t)
		m := syncx.NewMutex(places, maxQueue)
		if byPriority {
			m.ByPriority(0)
		}
		of := func(name string) visit {
			i, _ := strconv.Atoi(name)
			return visits[i]
		}
		stay := step.DelayBy(func(_ step.Scope, name string) time.Duration { return of(name).stays })
		s := syncx.Priority(func(name string) int { return of(name).priority },
			syncx.SyncWeighted(m, func(name string) int { return of(name).weight }, flow.Then(h.mark("+%s"), flow.Then(stay, h.mark("-%s")))))
		for i, v := range visits {
			h.at(v.at, fmt.Sprint(i), s)
		}
		h.Run()
		if want := visited(places, maxQueue, byPriority, visits); !slices.Equal(h.Lines, want) {
			rt.Fatalf("%d places, a queue of %d, by priority: %t; visits %v\n got %v\nwant %v", places, maxQueue, byPriority, visits, h.Lines, want)
		}
		wantStats(t, m, 0, 0)
	})
}
