//go:build unix

package clustertest

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// slack is what a busy machine may take longer.
const slack = 5 * time.Second

// Takeover kills a holder of the only place, stops another one, and looks who is inside
// and what the stalled one hears. The workers, started with env, use a guard of one place
// and this lease.
func Takeover(t *testing.T, lease time.Duration, env ...string) {
	t.Helper()
	r := NewReferee(t)
	killed := r.Start("killed", Hold, env...)
	first, n := r.Entered(killed, 0)
	stalled := r.Start("stalled", Hold, env...)
	r.Wait("stalled starts", n, func(e Event) bool { return e.What == "hello" })

	killed.Signal(syscall.SIGKILL)
	gone := time.Now()
	second, n := r.Entered(stalled, n)
	if took := second.At.Sub(gone); took > lease+slack {
		t.Errorf("the place of a process that was killed was taken over after %v", took)
	}

	heir := r.Start("heir", Hold, env...)
	r.Wait("heir starts", n, func(e Event) bool { return e.What == "hello" })
	stalled.Signal(syscall.SIGSTOP)
	gone = time.Now()
	third, n := r.Entered(heir, n)
	if took := third.At.Sub(gone); took > lease+slack {
		t.Errorf("the place of a process that was stopped was taken over after %v", took)
	}
	if first.Fence >= second.Fence || second.Fence >= third.Fence || first.Fence == 0 {
		t.Errorf("fences %d, %d, %d don't rise", first.Fence, second.Fence, third.Fence)
	}

	stalled.Signal(syscall.SIGCONT)
	for _, what := range []string{"cause", "failed"} {
		var e Event
		e, n = r.Wait("stalled hears", n, func(e Event) bool { return e.Worker == "stalled" && e.What == what })
		if e.Code != string(syncx.LeaseLost) {
			t.Errorf("%s of the stalled process: %q", what, e.Code)
		}
	}
	for _, e := range r.Events() {
		if e.Worker == "heir" && e.What == "failed" {
			t.Error("the process that has taken over has lost the place")
		}
	}
}

// Storm has workers come and go, kills some and stops some, until there were enough
// sections. Of those that ended as they should, never more than places were inside at
// once, and fences rose with each place that was taken.
func Storm(t *testing.T, places int, lease time.Duration, env ...string) {
	t.Helper()
	const workers, enough = 4, 200
	r := NewReferee(t)
	var all []*Worker
	start := func() *Worker {
		w := r.Start(fmt.Sprint("worker", len(all)), Loop, env...)
		all = append(all, w)
		return w
	}
	for range workers {
		start()
	}
	n := 0
	for range 2 {
		victim, sleeper := all[len(all)-1], all[0]
		_, n = r.Entered(victim, n)
		victim.Signal(syscall.SIGKILL)
		_, n = r.Entered(start(), n)
		_, n = r.Entered(sleeper, n)
		r.note(Event{Worker: sleeper.Name, What: "stop"})
		sleeper.Signal(syscall.SIGSTOP)
		<-time.After(lease + lease/2)
		sleeper.Signal(syscall.SIGCONT)
	}
	r.Wait("enough sections", 0, func(Event) bool { return sections(r.Events()) >= enough })
	judge(t, places, r.Events())
}

func sections(events []Event) int {
	n := 0
	for _, e := range events {
		if e.What == "leave" {
			n++
		}
	}
	return n
}

// judge looks at the sections that count.
func judge(t *testing.T, places int, events []Event) {
	t.Helper()
	counts := counted(events)
	inside, most := 0, 0
	fences := map[uint64]bool{}
	var last uint64
	for i, e := range events {
		if e.What == "enter" {
			if fences[e.Fence] {
				t.Errorf("fence %d was given twice", e.Fence)
			}
			fences[e.Fence] = true
		}
		switch {
		case !counts[i]:
		case e.What == "leave":
			inside--
		default:
			if inside++; inside > most {
				most = inside
			}
			if places == 1 && e.Fence < last {
				t.Errorf("fence %d comes after %d", e.Fence, last)
			}
			last = e.Fence
		}
	}
	if most > places || most == 0 {
		t.Errorf("%d were inside of %d places", most, places)
	}
	t.Logf("%d sections of %d entries, at most %d inside", sections(events), len(fences), most)
}

// counted marks beginning and end of each section that its worker has left. A worker that
// was stopped may go on with a section that it has lost, before it hears of that: those
// that it was in, or about to enter, are for the fence to refuse.
func counted(events []Event) []bool {
	counts := make([]bool, len(events))
	entered, stale := map[string]int{}, map[string]int{}
	for i, e := range events {
		switch e.What {
		case "stop":
			stale[e.Worker] = 2
		case "enter":
			entered[e.Worker] = i
		case "leave":
			if stale[e.Worker]--; stale[e.Worker] < 0 {
				counts[entered[e.Worker]], counts[i] = true, true
			}
		}
	}
	return counts
}
