package flow_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type lifePlans map[[3]int]flow.Plan[*record, int]

func (ps lifePlans) of(l life) flow.Plan[*record, int] {
	key := [3]int{int(l.place), 0, 0}
	if l.catch != uncaught {
		key[1] = 1
	}
	if l.work == function {
		key[2] = 1
	}
	if _, ok := ps[key]; !ok {
		ps[key] = lifePlan(l.place, key[1] == 1, key[2] == 1)
	}
	return ps[key]
}

// O6, C1, C2, C3, C6, E1, E2, S3: each life has its expected result, in two orders of runs that use the same memory.
func TestLives(t *testing.T) {
	plans := lifePlans{}
	all := sample(slices.Collect(lives()))
	synctest.Test(t, func(t *testing.T) {
		var past []*record
		for _, l := range all {
			past = append(past, liveInVirtualTime(t, plans.of(l), l))
		}
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		for _, l := range all {
			past = append(past, liveInVirtualTime(t, plans.of(l), l))
		}
		for _, r := range past { // calls that an earlier life has left in the memory could come in a later one
			if want := r.foretell(); !slices.Equal(r.log, want.log) {
				t.Errorf("%v:\n got %q\nwant %q in the end", r.life, r.log, want.log)
			}
		}
	})
	t.Logf("%d lives, twice", len(all))
}

func TestLivesOnALoop(t *testing.T) {
	plans := lifePlans{}
	n := 0
	synctest.Test(t, func(t *testing.T) {
		exited := 0
		loop := tool.Start(tool.Options{OnError: func(err error) {
			if errors.Is(err, tool.ErrGoexit) {
				exited++
			} else {
				t.Errorf("reported: %v", err)
			}
		}})
		for i, l := range slices.Collect(lives()) {
			if i%7 == 0 {
				liveOnLoop(t, loop, plans.of(l), l)
				n++
			}
		}
		if exited == 0 {
			t.Error("no body ended the goroutine of the loop")
		}
		if err := loop.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Logf("%d lives", n)
}

func TestLivesOfRun(t *testing.T) {
	plans := lifePlans{}
	n := 0
	synctest.Test(t, func(t *testing.T) {
		for i, l := range slices.Collect(lives()) {
			switch {
			case i%7 != 3:
			case l.end == exits && l.work != awaiting: // ends the goroutine of the caller, see run_test.go
			case l.stop == during && l.instant(): // the context is only looked at between turns
			default:
				liveInRun(t, plans.of(l), l)
				n++
			}
		}
	})
	t.Logf("%d lives", n)
}

// sample leaves out most lives with the race detector and with -short.
func sample(all []life) []life {
	if !testing.Short() && !racetest.Enabled {
		return all
	}
	var some []life
	for i := 0; i < len(all); i += 11 {
		some = append(some, all[i])
	}
	return some
}

func liveInVirtualTime(t *testing.T, p flow.Plan[*record, int], l life) *record {
	t.Helper()
	loop := tooltest.New()
	r := &record{life: l}
	run := flow.Start(t.Context(), loop, p, r)
	r.stopNow = func() { run.Cancel(errStop) }
	ends := 0
	run.Then(func(int, error) { ends++ })
	if len(r.log) > 0 {
		t.Errorf("%v: O1: %q before Start returned", l, r.log)
	}
	if l.stop == before && !run.Cancel(errStop) {
		t.Errorf("%v: Cancel reported that the run was over", l)
	}
	advance(loop, cancelComes)
	if l.stop == during && !l.instant() {
		run.Cancel(errStop)
	}
	advance(loop, siblingEnds)
	value, err := run.Result()
	l.judge(t, r, value, err)
	told := len(r.log)
	if run.Cancel(errStop) {
		t.Errorf("%v: Cancel of a run that was over reported true", l)
	}
	advance(loop, 2*time.Hour)
	if len(r.log) != told {
		t.Errorf("%v: C6: after the end: %q", l, r.log[told:])
	}
	if ends != 1 {
		t.Errorf("%v: O6: the observer was called %d times", l, ends)
	}
	if live, pending := loop.Host().Live(), loop.Pending(); live != 0 || pending != 0 {
		t.Errorf("%v: %d runs and %d callbacks are left", l, live, pending)
	}
	if errs := loop.Errors(); errs != nil {
		t.Errorf("%v: reported: %v", l, errs)
	}
	return r
}

// advance moves the loop's time forward until it is to, in steps of a millisecond before siblingEnds, and lets goroutines
// run in between. It drives the loop on another goroutine first, because a body may end the one that drives it.
func advance(loop *tooltest.Loop, to time.Duration) {
	for {
		quiet := false
		done := make(chan struct{})
		go func() {
			defer close(done)
			quiet = loop.Advance(0) == 0
		}()
		<-done
		synctest.Wait()
		if !quiet || loop.Advance(0) > 0 {
			continue
		}
		switch now := loop.Now(); {
		case now >= to:
			return
		case now < siblingEnds:
			tick(loop, time.Millisecond)
		default:
			tick(loop, to-now)
		}
	}
}

// tick calls Advance on another goroutine, which a body may end.
func tick(loop *tooltest.Loop, d time.Duration) {
	done := make(chan struct{})
	to := loop.Now() + d
	go func() {
		defer close(done)
		loop.Advance(to - loop.Now())
	}()
	<-done
}

func liveOnLoop(t *testing.T, loop *tool.Loop, p flow.Plan[*record, int], l life) {
	t.Helper()
	r := &record{life: l}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var run *flow.Running[int]
	r.stopNow = func() { run.Cancel(errStop) }
	ready := make(chan struct{})
	// on the loop, so that nothing runs before run is set and, if need be, cancelled
	loop.Immediate(func() {
		defer close(ready)
		run = flow.Start(ctx, loop, p, r)
		if l.stop == before {
			run.Cancel(errStop)
		}
	})
	<-ready
	time.Sleep(cancelComes)
	if l.stop == during && !l.instant() {
		run.Cancel(errStop)
	}
	value, err := run.Wait(t.Context())
	if l.stop == after && run.Cancel(errStop) {
		t.Errorf("%v: Cancel of a run that was over reported true", l)
	}
	time.Sleep(siblingEnds) // for late completions
	l.judge(t, r, value, err)
}

func liveInRun(t *testing.T, p flow.Plan[*record, int], l life) {
	t.Helper()
	r := &record{life: l}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	switch l.stop {
	case before:
		cancel(errStop)
	case during:
		stop := time.AfterFunc(cancelComes, func() { cancel(errStop) })
		defer stop.Stop()
	}
	value, err := flow.Run(ctx, p, r)
	r.answered = false // the loop of the run, with its timers, has ended
	l.judge(t, r, value, err)
}

func (l life) judge(t *testing.T, r *record, value int, err error) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	want := l.foretell()
	if !slices.Equal(r.log, want.log) {
		t.Errorf("%v:\n got %q\nwant %q", l, r.log, want.log)
	}
	if fault.CodeOf(err) != want.code || value != want.value {
		t.Errorf("%v: got %d, %v, want %d, %q", l, value, err, want.value, want.code)
	}
	if want.cause != nil && !errors.Is(err, want.cause) {
		t.Errorf("%v: %v is not %v", l, err, want.cause)
	}
	if r.answered && r.taken != want.taken {
		t.Errorf("%v: C6: completion from outside reported %t", l, r.taken)
	}
	if err == nil {
		return
	}
	if e, ok := errors.AsType[*fault.Error](err); !ok || e.Path == "" && e.Code != fault.Cancelled {
		t.Errorf("%v: %v doesn't say where it comes from", l, err)
	}
}
