package laws_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// heavy is a section of a mutex: when it asks, how long it is inside, when its run is cancelled (0 for never), and its
// weight and priority.
type heavy struct {
	at, takes, cancel time.Duration
	weight, priority  int
}

// weighing is a mutex with weights, and with priorities unless patience is below zero.
type weighing struct {
	places, queue, patience int
}

func (w weighing) build() *syncx.Mutex {
	m := syncx.NewMutex(w.places, w.queue)
	if w.patience >= 0 {
		m.ByPriority(w.patience)
	}
	return m
}

// says computes, by a simple model of G2, G5, G11 and G12, the fate of each section, in the order of time, and the largest weight
// inside.
func (w weighing) says(asks []heavy) (log []string, most int) {
	type event struct {
		at   time.Duration
		i    int
		what string
	}
	var (
		events []event
		queue  []int
		inside = map[int]bool{}
		weight int
		rank   = map[int]int{}
		order  int // how many have asked while others were inside
	)
	add := func(e event) {
		at := 0
		for at < len(events) && events[at].at <= e.at {
			at++
		}
		events = slices.Insert(events, at, e)
	}
	for i, a := range asks {
		add(event{a.at, i, "asks"})
		if a.cancel > 0 {
			add(event{a.cancel, i, "cancelled"})
		}
	}
	begin := func(i int, now time.Duration) {
		inside[i] = true
		weight += asks[i].weight
		most = max(most, weight)
		log = append(log, fmt.Sprintf("%d begins at %v", i, now))
		add(event{now + asks[i].takes, i, "ends"})
	}
	admit := func(now time.Duration) {
		for len(queue) > 0 && weight+asks[queue[0]].weight <= w.places {
			i := queue[0]
			queue = queue[1:]
			begin(i, now)
		}
	}
	for len(events) > 0 {
		e := events[0]
		events = events[1:]
		a := asks[e.i]
		switch {
		case e.what == "asks":
			if len(inside) > 0 { // otherwise no section waits
				order++
				switch {
				case w.patience > 0:
					rank[e.i] = a.priority*w.patience - order
				case w.patience == 0:
					rank[e.i] = a.priority
				}
			}
			at := len(queue)
			for at > 0 && rank[queue[at-1]] < rank[e.i] {
				at--
			}
			switch {
			case at == 0 && weight+a.weight <= w.places:
				begin(e.i, e.at)
				continue
			case w.queue >= 0 && len(queue) >= w.queue && at == len(queue):
				log = append(log, fmt.Sprintf("%d is rejected at %v", e.i, e.at))
				continue
			case w.queue >= 0 && len(queue) >= w.queue:
				log = append(log, fmt.Sprintf("%d is rejected at %v", queue[len(queue)-1], e.at))
				queue = queue[:len(queue)-1]
			}
			queue = slices.Insert(queue, at, e.i)
		case inside[e.i]:
			delete(inside, e.i)
			weight -= a.weight
			log = append(log, fmt.Sprintf("%d %s at %v", e.i, e.what, e.at))
		default:
			at := slices.Index(queue, e.i)
			if at < 0 {
				continue // the section has ended, or was rejected
			}
			queue = slices.Delete(queue, at, at+1)
			log = append(log, fmt.Sprintf("%d %s at %v", e.i, e.what, e.at))
		}
		admit(e.at)
	}
	return log, most
}

func (w weighing) check(rt *rapid.T, most *int, rejected *int) {
	asks := crowd(rt, rapid.Custom(func(rt *rapid.T) heavy {
		a := heavy{
			at:       time.Duration(rapid.IntRange(0, 60).Draw(rt, "at")) * time.Millisecond,
			takes:    time.Duration(rapid.IntRange(0, 15).Draw(rt, "takes")) * time.Millisecond,
			weight:   rapid.IntRange(1, w.places).Draw(rt, "weight"),
			priority: rapid.IntRange(-1, 2).Draw(rt, "priority"),
		}
		if rapid.IntRange(0, 3).Draw(rt, "is cancelled") == 0 {
			a.cancel = a.at + time.Duration(rapid.IntRange(0, 15).Draw(rt, "cancel"))*time.Millisecond
		}
		return a
	}), 50)
	slices.SortStableFunc(asks, func(a, b heavy) int { return cmp.Compare(a.at, b.at) })
	odd := time.Duration(1)
	next := func() time.Duration { // so that ends and cancels come at times of their own
		odd = odd * 7919 % 999_983
		return odd % 1_000_000
	}
	for i := range asks {
		asks[i].takes += next()
		if asks[i].cancel > 0 {
			asks[i].cancel += next()
		}
	}

	loop := tooltest.New()
	m := w.build()
	var got []string
	note := func(i int, what string) { got = append(got, fmt.Sprintf("%d %s at %v", i, what, loop.Now())) }
	s := syncx.SyncWeighted(m, func(i int) int { return asks[i].weight }, flow.Then(
		step.Map(func(i int) int { note(i, "begins"); return i }),
		step.DelayBy(func(_ step.Scope, i int) time.Duration { return asks[i].takes })))
	for i, a := range asks {
		_, _ = loop.Deferred(a.at, func() {
			run := flow.Start(syncx.WithPriority(context.Background(), a.priority), loop, s, i)
			run.Then(func(_ int, err error) {
				switch fault.CodeOf(err) {
				case "":
					note(i, "ends")
				case fault.Cancelled:
					note(i, "cancelled")
				case fault.DefenseRejected:
					note(i, "is rejected")
					*rejected++
				default:
					rt.Errorf("%d: %v", i, err)
				}
			})
			if a.cancel > 0 {
				_, _ = loop.Deferred(a.cancel-a.at, func() { run.Cancel(nil) })
			}
		})
	}
	loop.Run()
	want, inside := w.says(asks)
	*most = max(*most, inside)
	if inside > w.places {
		rt.Fatalf("the model lets in %d of %d", inside, w.places)
	}
	// the order of things at the same time is free
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || m.Inside() != 0 || m.Queued() != 0 {
		rt.Fatalf("%+v\nasks %+v\n got %v\nwant %v", w, asks, got, want)
	}
}

// Law 79. With weights, the sections inside of a mutex weigh no more than it has places, no section overtakes one that asked
// before, and a section gives back what it has taken, however it ends.
func TestG11WeightsAreKept(t *testing.T) {
	most, rejected := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		weighing{
			places: rapid.IntRange(1, 6).Draw(rt, "places"), queue: rapid.IntRange(-1, 5).Draw(rt, "queue"), patience: -1,
		}.check(rt, &most, &rejected)
	})
	if most < 2 || rejected == 0 {
		t.Errorf("%d inside at most, %d rejected: the test tests nothing", most, rejected)
	}
}

// Law 80. With priorities, waiting sections are let in by their rank, and the one with the lowest rank is rejected if
// the queue is full.
func TestG12PriorityIsItsRule(t *testing.T) {
	most, rejected := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		weighing{
			places: rapid.IntRange(1, 4).Draw(rt, "places"), queue: rapid.IntRange(-1, 5).Draw(rt, "queue"),
			patience: rapid.IntRange(0, 4).Draw(rt, "patience"),
		}.check(rt, &most, &rejected)
	})
	if most < 2 || rejected == 0 {
		t.Errorf("%d inside at most, %d rejected: the test tests nothing", most, rejected)
	}
}
