package explore_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/tool"
)

var slowPrograms = flag.Int("explore.slow", 60, "how many drawn programs TestStateLosesNoOutcome searches")

// deed is an instruction of a task.
type deed int

const (
	adds    deed = iota // changes the variable that all share
	stamps              // changes it by the time
	tells               // notes it
	pauses              // waits for d
	locks               // enters the mutex
	unlocks             // leaves the mutex
	races               // wins, unless a task has won
	limits              // the deeds before number n end after d
	retries             // goes back to deed n after d, once
	deeds
)

type does struct {
	deed deed
	n    int
	d    time.Duration
}

// tasks is a drawn program: the deeds of each task, one in a callback. The first task may be cancelled.
type tasks struct {
	of      [][]does
	cancel  bool
	stamped bool // absolute times count, not only the time from one to another
}

func drawTasks(r *rand.Rand) (p tasks) {
	p.cancel = r.IntN(2) == 0
	for range 1 + r.IntN(3) {
		var of []does
		for range 1 + r.IntN(5) {
			in := does{deed(r.IntN(int(deeds))), len(of) + 2 + r.IntN(2), time.Duration(1 + r.IntN(3))}
			if in.deed == retries {
				in.n = r.IntN(len(of) + 1)
			}
			p.stamped = p.stamped || in.deed == stamps
			of = append(of, in)
		}
		p.of = append(p.of, of)
	}
	return p
}

type task struct {
	at, tries int
	next      tool.Handle // its callback; invalid while it waits for the mutex, and after its end
	due       time.Duration
	limit     tool.Handle // invalid if there is none
	until     int         // the limit applies to the deeds before this one
	lapses    time.Duration
}

type toil struct {
	x       *explore.Trial
	p       tasks
	tasks   []task
	sum     int
	won     bool
	inside  int   // the task that has the mutex, -1 for none
	queue   []int // tasks that wait for it
	arrived []int // whose callbacks wait, in order of arrival: i for task i, ^i for its limit
}

func (w *toil) queued(i int, d time.Duration, fn func()) tool.Handle {
	w.arrived = append(w.arrived, i)
	taken := func() {
		w.left(i)
		fn()
	}
	if d == 0 {
		h, _ := w.x.Loop().Immediate(taken)
		return h
	}
	h, _ := w.x.Loop().Deferred(d, taken)
	return h
}

func (w *toil) left(i int) {
	w.arrived = slices.DeleteFunc(w.arrived, func(j int) bool { return i == j })
}

// goOn queues the next deed of task i.
func (w *toil) goOn(i int, d time.Duration) {
	t := &w.tasks[i]
	t.due = 0
	if d > 0 {
		t.due = w.x.Loop().Now() + d
	}
	t.next = w.queued(i, d, func() { w.act(i) })
}

func (w *toil) stop(i int) {
	if w.x.Loop().Cancel(w.tasks[i].next) {
		w.left(i)
	}
	w.queue = slices.DeleteFunc(w.queue, func(j int) bool { return i == j })
}

func (w *toil) unlimited(i int) {
	if w.x.Loop().Cancel(w.tasks[i].limit) {
		w.left(^i)
	}
}

func (w *toil) unlock(i int) {
	if w.inside != i {
		return
	}
	w.inside = -1
	if len(w.queue) > 0 {
		w.inside, w.queue = w.queue[0], w.queue[1:]
		w.goOn(w.inside, 0)
	}
}

func (w *toil) end(i int, how string) {
	w.stop(i)
	w.unlimited(i)
	w.unlock(i)
	w.tasks[i].at = len(w.p.of[i])
	w.x.Note("task %d %s", i, how)
}

func (w *toil) act(i int) {
	t, of := &w.tasks[i], w.p.of[i]
	if t.at >= t.until {
		w.unlimited(i)
	}
	if t.at >= len(of) {
		w.end(i, "ends")
		return
	}
	in, now := of[t.at], w.x.Loop().Now()
	t.at++
	pause := time.Duration(0)
	switch in.deed {
	case adds:
		w.sum = (w.sum*(i+2) + in.n) % 101
	case stamps:
		w.sum = (w.sum*7 + int(now)) % 101
	case tells:
		w.x.Note("task %d sees %d", i, w.sum)
	case pauses:
		pause = in.d
	case locks:
		if w.inside >= 0 && w.inside != i {
			w.queue = append(w.queue, i)
			return
		}
		w.inside = i
	case unlocks:
		w.unlock(i)
	case races:
		if !w.won {
			w.won = true
			w.x.Note("task %d wins", i)
		}
	case limits:
		w.unlimited(i)
		t.until, t.lapses = in.n, now+in.d
		t.limit = w.queued(^i, in.d, func() {
			w.stop(i)
			t.at = max(t.at, min(t.until, len(of)))
			w.sum++
			w.goOn(i, 0)
		})
	case retries:
		if t.tries == 0 {
			t.tries++
			t.at, pause = in.n, in.d
		}
	}
	w.goOn(i, pause)
}

// state returns everything that the rest of the trial depends on.
func (w *toil) state() string {
	loop := w.x.Loop()
	text := fmt.Sprint(w.sum, w.won, w.inside, w.queue, w.arrived, w.x.Notes())
	if w.p.stamped {
		text += fmt.Sprint(" at ", loop.Now())
	}
	for i := range w.tasks {
		t := &w.tasks[i]
		text += fmt.Sprint("; ", t.at, t.tries)
		if loop.Valid(t.next) {
			text += fmt.Sprint(" goes on ", t.due-min(t.due, loop.Now()), t.due > 0)
		}
		if loop.Valid(t.limit) {
			text += fmt.Sprint(" limit ", t.lapses-loop.Now(), t.until)
		}
	}
	return text
}

func (p tasks) search(bounds explore.Bounds, told bool) (map[string]bool, explore.Result) {
	outcomes := map[string]bool{}
	r := explore.All(bounds, func(x *explore.Trial) error {
		x.Slow()
		w := &toil{x: x, p: p, tasks: make([]task, len(p.of)), inside: -1}
		if told {
			x.State(w.state)
		}
		for i := range p.of {
			w.goOn(i, 0)
		}
		var actions []explore.Action
		if p.cancel {
			actions = []explore.Action{{Name: "cancel", Do: func() {
				if w.tasks[0].at < len(p.of[0]) {
					w.end(0, "is cancelled")
				}
			}}}
		}
		err := x.Run(actions...)
		outcomes[fmt.Sprint(x.Notes(), w.sum)] = true
		return err
	})
	return outcomes, r
}

// Programs in which time passes at any point have the same outcomes if what follows from a known state isn't tried again.
func TestStateLosesNoOutcome(t *testing.T) {
	searched, before, after, outcomes := 0, 0, 0, 0
	for seed := *programSeed; searched < *slowPrograms; seed++ {
		r := rand.New(rand.NewPCG(seed, 5))
		p, bounds := drawTasks(r), explore.Bounds{Schedules: 2000, Delays: r.IntN(4)}
		want, full := p.search(bounds, false)
		if !full.Complete {
			continue
		}
		searched++
		got, pruned := p.search(bounds, true)
		if full.Failure != nil || pruned.Failure != nil {
			t.Fatalf("seed %d: %+v, %+v", seed, full.Failure, pruned.Failure)
		}
		if !maps.Equal(got, want) || !pruned.Complete || pruned.Trials > full.Trials {
			t.Fatalf("seed %d: %d outcomes by %d trials, without State %d by %d\n%+v", seed, len(got), pruned.Trials,
				len(want), full.Trials, p)
		}
		before += full.Trials
		after += pruned.Trials
		outcomes += len(want)
	}
	if t.Logf("%d programs, %d outcomes: %d trials, %d without State", searched, outcomes, after, before); after*2 > before {
		t.Errorf("State saves too little")
	}
}
