//go:build unix

package clustertest

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// slack is how much longer than expected things may take on a busy machine.
const slack = 5 * time.Second

// takeover kills a worker that holds the only place of a mutex and stops the next one by a signal. Others have to get the
// place each time, with a larger fence, and the stopped worker has to be evicted when it goes on.
func takeover(t *testing.T, s Server) {
	const lease = 2 * time.Second
	env := workerEnv(s, 1, lease)
	r := newReferee(t)
	killed := r.start("killed", hold, env...)
	first, n := r.entered(killed, 0)
	stalled := r.start("stalled", hold, env...)
	r.wait("stalled starts", n, func(e event) bool { return e.what == "hello" })

	killed.signal(syscall.SIGKILL)
	gone := time.Now()
	second, n := r.entered(stalled, n)
	if took := second.at.Sub(gone); took > lease+slack {
		t.Errorf("the place of a process that was killed was taken over after %v", took)
	}

	heir := r.start("heir", hold, env...)
	r.wait("heir starts", n, func(e event) bool { return e.what == "hello" })
	stalled.signal(syscall.SIGSTOP)
	gone = time.Now()
	third, n := r.entered(heir, n)
	if took := third.at.Sub(gone); took > lease+slack {
		t.Errorf("the place of a process that was stopped was taken over after %v", took)
	}
	if first.fence >= second.fence || second.fence >= third.fence || first.fence == 0 {
		t.Errorf("fences %d, %d, %d don't rise", first.fence, second.fence, third.fence)
	}

	stalled.signal(syscall.SIGCONT)
	for _, what := range []string{"cause", "failed"} {
		var e event
		e, n = r.wait("stalled hears", n, func(e event) bool { return e.worker == "stalled" && e.what == what })
		if e.code != string(syncx.LeaseLost) {
			t.Errorf("%s of the stalled process: %q", what, e.code)
		}
	}
	for _, e := range r.all() {
		if e.worker == "heir" && e.what == "failed" {
			t.Error("the process that has taken over has lost the place")
		}
	}
}

// storm starts workers, kills and stops some of them, and waits until there were enough sections. Fences have to differ. Of
// the sections that count, see counted, no more may be inside at once than there are places, and with one place their fences
// have to rise.
func storm(t *testing.T, s Server, places int) {
	const workers, enough, lease = 4, 200, time.Second
	env := workerEnv(s, places, lease)
	r := newReferee(t)
	var all []*child
	start := func() *child {
		w := r.start(fmt.Sprint("worker", len(all)), loop, env...)
		all = append(all, w)
		return w
	}
	for range workers {
		start()
	}
	n := 0
	for range 2 {
		victim, sleeper := all[len(all)-1], all[0]
		_, n = r.entered(victim, n)
		victim.signal(syscall.SIGKILL)
		_, n = r.entered(start(), n)
		_, n = r.entered(sleeper, n)
		r.note(event{worker: sleeper.name, what: "stop"})
		sleeper.signal(syscall.SIGSTOP)
		<-time.After(lease + lease/2)
		sleeper.signal(syscall.SIGCONT)
	}
	r.wait("enough sections", 0, func(event) bool { return sections(r.all()) >= enough })
	judge(t, places, r.all())
}

func sections(events []event) int {
	n := 0
	for _, e := range events {
		if e.what == "leave" {
			n++
		}
	}
	return n
}

func judge(t *testing.T, places int, events []event) {
	t.Helper()
	counts := counted(events)
	inside, most := 0, 0
	fences := map[uint64]bool{}
	var last uint64
	for i, e := range events {
		if e.what == "enter" {
			if fences[e.fence] {
				t.Errorf("fence %d was given twice", e.fence)
			}
			fences[e.fence] = true
		}
		switch {
		case !counts[i]:
		case e.what == "leave":
			inside--
		default:
			if inside++; inside > most {
				most = inside
			}
			if places == 1 && e.fence < last {
				t.Errorf("fence %d comes after %d", e.fence, last)
			}
			last = e.fence
		}
	}
	if most > places || most == 0 {
		t.Errorf("%d were inside of %d places", most, places)
	}
	t.Logf("%d sections of %d entries, at most %d inside", sections(events), len(fences), most)
}

// counted marks the first and the last event of each section that its worker has left by itself. It doesn't mark the next two
// sections that a worker leaves after it was stopped: the worker may have been in the first one and about to enter the
// second. It may go on with a section for a while after it has lost the lease, and the fence has to protect against that.
func counted(events []event) []bool {
	counts := make([]bool, len(events))
	entered, stale := map[string]int{}, map[string]int{}
	for i, e := range events {
		switch e.what {
		case "stop":
			stale[e.worker] = 2
		case "enter":
			entered[e.worker] = i
		case "leave":
			if stale[e.worker]--; stale[e.worker] < 0 {
				counts[entered[e.worker]], counts[i] = true, true
			}
		}
	}
	return counts
}
