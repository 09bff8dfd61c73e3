package cron_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func minutely(k *clock, takes time.Duration, overlap cron.Overlap) *cron.Table {
	return cron.New(cron.Job{Name: "job", Next: cron.Every(time.Minute), Work: k.work(takes), Overlap: overlap})
}

func TestStop(t *testing.T) {
	t.Run("between two rounds", func(t *testing.T) {
		k := newClock()
		table := minutely(k, time.Second, cron.Skip)
		run := k.run(t, table)
		k.Advance(40 * time.Second)
		table.Stop()
		table.Stop()
		k.Advance(0)
		ended(t, run)
		want(t, k, "0 begin, 1 end")
	})
	for _, overlap := range []cron.Overlap{cron.Skip, cron.Later, cron.Each, cron.Replace} {
		t.Run(fmt.Sprint("in a round ", overlap), func(t *testing.T) {
			k := newClock()
			table := minutely(k, 50*time.Second, overlap)
			run := k.run(t, table)
			k.Advance(30 * time.Second)
			table.Stop()
			k.Advance(30 * time.Second)
			living(t, run)
			k.Run()
			ended(t, run)
			want(t, k, "0 begin, 50 end")
		})
	}
	t.Run("before the run", func(t *testing.T) {
		k := newClock()
		table := minutely(k, time.Second, cron.Skip)
		table.Stop()
		run := k.run(t, table)
		k.Run()
		ended(t, run)
		want(t, k, "")
	})
}

// A job that has ended has no next time, also while another one is still at work.
func TestStopClearsTheNextTime(t *testing.T) {
	k := newClock()
	table := cron.New(
		cron.Job{Name: "long", Next: cron.Every(time.Minute), Work: k.work(50 * time.Second)},
		cron.Job{Name: "short", Next: cron.Every(time.Minute), Work: k.work(time.Second)},
	)
	run := k.run(t, table)
	k.Advance(30 * time.Second)
	if list := table.List(); list[1].Next.IsZero() {
		t.Error("short has no next time")
	}
	table.Stop()
	k.Advance(0)
	living(t, run)
	if list := table.List(); !list[1].Next.IsZero() || list[0].Running.IsZero() {
		t.Errorf("short is due at %v, long is at work since %v", list[1].Next, list[0].Running)
	}
	k.Run()
	ended(t, run)
}

func TestList(t *testing.T) {
	k := newClock()
	sour := errors.New("sour")
	fails := step.Func(func(step.Scope, step.Unit) (step.Unit, error) { return step.Unit{}, sour })
	table := cron.New(
		cron.Job{Name: "slow", Next: cron.Every(time.Minute), Work: k.work(45 * time.Second)},
		cron.Job{Name: "sour", Next: cron.Every(time.Hour), Work: fails},
	)
	noon := start.Add(25 * time.Second)
	if all := table.List(); len(all) != 2 || !all[0].Next.IsZero() {
		t.Error("before the run:", all)
	}
	run := k.run(t, table)
	k.Advance(time.Second)
	if all := table.List(); all[0].Next != noon || all[1].Next != noon || all[0].Name != "slow" || all[1].Rounds != 0 {
		t.Error("before the first round:", all)
	}
	k.Advance(30 * time.Second)
	slow, failed := table.List()[0], table.List()[1]
	if slow.Running != noon || slow.Next != noon.Add(time.Minute) || slow.Rounds != 0 {
		t.Error("at work:", slow)
	}
	if failed.Rounds != 1 || failed.Failed != 1 || !errors.Is(failed.Err, sour) || failed.Ended != noon || failed.Next != noon.Add(time.Hour) {
		t.Error("failed:", failed)
	}
	k.Advance(time.Minute)
	slow = table.List()[0]
	if slow.Rounds != 1 || slow.Failed != 0 || slow.Err != nil || slow.Began != noon || slow.Ended != noon.Add(45*time.Second) || slow.Running != noon.Add(time.Minute) {
		t.Error("second round:", slow)
	}
	if errs := k.Errors(); len(errs) != 1 || !errors.Is(errs[0], sour) {
		t.Error(errs)
	}

	run.Cancel(nil)
	k.Run()
	slow = table.List()[0]
	if slow.Rounds != 2 || slow.Failed != 1 || !errors.Is(slow.Err, fault.Cancelled) || !slow.Running.IsZero() || !slow.Next.IsZero() {
		t.Error("cancelled:", slow)
	}
}

func TestListAfterAFailure(t *testing.T) {
	k := newClock()
	sour, rounds := errors.New("sour"), 0
	work := step.Func(func(step.Scope, step.Unit) (u step.Unit, err error) {
		if rounds++; rounds == 1 {
			err = sour
		}
		return u, err
	})
	table := cron.New(cron.Job{Name: "job", Next: cron.Every(time.Minute), Work: work})
	run := k.run(t, table)
	for i, want := range []error{sour, nil} {
		k.Advance(time.Minute)
		if got := table.List()[0]; got.Rounds != i+1 || got.Failed != 1 || !errors.Is(got.Err, want) {
			t.Errorf("round %d: %+v", i, got)
		}
	}
	run.Cancel(nil)
	k.Run()
}

// A round that was replaced counts as failed.
func TestListAfterReplace(t *testing.T) {
	k := newClock()
	table := minutely(k, 70*time.Second, cron.Replace)
	run := k.run(t, table)
	k.Advance(100 * time.Second)
	noon := start.Add(25 * time.Second)
	got := table.List()[0]
	if got.Rounds != 1 || got.Failed != 1 || !errors.Is(got.Err, fault.Cancelled) || got.Began != noon || got.Ended != noon.Add(time.Minute) || got.Running != got.Ended {
		t.Errorf("%+v", got)
	}
	run.Cancel(nil)
	k.Run()
	if got := table.List()[0]; got.Rounds != 2 || got.Failed != 2 {
		t.Errorf("cancelled: %+v", got)
	}
}

// If the work of a job breaks a loop that isn't its own, the job ends; with a continue only the
// round ends. Other jobs go on.
func TestWorkThatBreaks(t *testing.T) {
	k := newClock()
	breaks := step.New(func(step.Scope, step.Unit) step.Next[step.Unit] { return loopx.Break[step.Unit]() })
	continues := step.New(func(step.Scope, step.Unit) step.Next[step.Unit] { return loopx.Continue[step.Unit]() })
	table := cron.New(
		cron.Job{Name: "breaks", Next: cron.Every(time.Minute), Work: breaks},
		cron.Job{Name: "continues", Next: cron.Every(time.Minute), Work: continues},
		cron.Job{Name: "waits", Next: cron.Every(time.Minute), Work: k.work(time.Second)},
	)
	run := k.run(t, table)
	k.Advance(100 * time.Second)
	run.Cancel(nil)
	k.Run()
	for i, want := range []cron.State{{Rounds: 1, Failed: 1}, {Rounds: 2}, {Rounds: 2}} {
		if got := table.List()[i]; got.Rounds != want.Rounds || got.Failed != want.Failed || !got.Running.IsZero() {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestOneRunAtATime(t *testing.T) {
	k := newClock()
	table := minutely(k, time.Second, cron.Skip)
	first, second := k.run(t, table), k.run(t, table)
	k.Advance(time.Second)
	living(t, first)
	if _, err := second.Result(); !errors.Is(err, fault.InvalidRequest) {
		t.Error(err)
	}
	first.Cancel(nil)
	k.Run()
	third := k.run(t, table)
	k.Advance(time.Second)
	living(t, third)
	third.Cancel(nil)
	k.Run()
}

func TestRoundsOfOneJobDoNotHoldUpAnother(t *testing.T) {
	k := newClock()
	table := cron.New(
		cron.Job{Name: "stuck", Next: cron.Every(time.Minute), Work: step.Delay[step.Unit](24 * time.Hour)},
		cron.Job{Name: "job", Next: cron.Every(time.Minute), Work: k.work(time.Second)},
	)
	run := k.run(t, table)
	k.Advance(90 * time.Second)
	want(t, k, "0 begin, 1 end, 60 begin, 61 end")
	run.Cancel(nil)
	k.Run()
}

// Methods may be called from any goroutine while the run lives on a loop of tool.Start.
func TestManyCallers(t *testing.T) {
	loop := tool.Start(tool.Options{})
	var rounds atomic.Int32
	begun := make(chan struct{}, 1)
	table := cron.New(cron.Job{Name: "job", Next: cron.Every(time.Hour), Work: step.Act(func(context.Context) error {
		rounds.Add(1)
		select {
		case begun <- struct{}{}:
		default:
		}
		return nil
	})})
	run := flow.Start(t.Context(), loop, table.Plan(), step.Unit{})
	for table.List()[0].Next.IsZero() { // until it is under way
		if err := table.RunNow("job"); err == nil {
			break
		}
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				_ = table.RunNow("job")
				_ = table.List()
			}
		})
	}
	all.Wait()
	<-begun
	table.Stop()
	if _, err := run.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if got, did := table.List()[0].Rounds, int(rounds.Load()); got != did || got == 0 {
		t.Errorf("%d rounds, %d were counted", did, got)
	}
	if err := loop.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestSpec(t *testing.T) {
	table := cron.New(
		cron.Job{Name: "period", Period: time.Minute, Work: idle},
		cron.Job{Name: "calendar", Spec: "30 3 * * *", Next: cron.Every(time.Hour), Work: idle},
		cron.Job{Name: "function", Next: cron.Every(time.Hour), Work: idle},
		cron.Job{Name: "both", Spec: "minutely", Period: time.Minute, Work: idle},
	)
	var got []string
	for _, s := range table.List() {
		got = append(got, s.Spec)
	}
	if want := []string{"every 1m0s", "30 3 * * *", "", "minutely"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNoTimerIsLeft(t *testing.T) {
	for reason, leave := range map[string]func(*cron.Table, *flow.Running[step.Unit]){
		"Stop":   func(table *cron.Table, _ *flow.Running[step.Unit]) { table.Stop() },
		"cancel": func(_ *cron.Table, run *flow.Running[step.Unit]) { run.Cancel(nil) },
		"RunNow": func(table *cron.Table, _ *flow.Running[step.Unit]) {
			if err := table.RunNow("job"); err != nil {
				t.Error(err)
			}
		},
	} {
		k := newClock()
		table := minutely(k, 0, cron.Skip)
		run := k.run(t, table)
		k.Advance(90 * time.Second)
		if k.Pending() != 1 {
			t.Errorf("%s: %d callbacks wait between two rounds", reason, k.Pending())
		}
		leave(table, run)
		k.Advance(0)
		left := 0
		if reason == "RunNow" {
			left = 1 // of the next round
		}
		if k.Pending() != left {
			t.Errorf("%s: %d callbacks are left, want %d", reason, k.Pending(), left)
		}
		table.Stop()
		k.Run()
	}
}

// With Replace there are two waits: one beside the round, and one after it.
func TestNoTimerIsLeftByReplace(t *testing.T) {
	k := newClock()
	run := k.run(t, minutely(k, 5*time.Second, cron.Replace))
	for range 3 {
		k.Advance(time.Minute)
		if k.Pending() != 1 {
			t.Errorf("%d callbacks wait between two rounds", k.Pending())
		}
	}
	run.Cancel(nil)
	k.Advance(0)
	if k.Pending() != 0 {
		t.Errorf("%d callbacks are left", k.Pending())
	}
	k.Run()
}

// shifted has a clock that isn't that of its timers.
type shifted struct {
	*tooltest.Loop

	host *tool.Host
}

func (s *shifted) Host() *tool.Host { return s.host }

// If the clock is set back while a job waits, the round comes at its time by that clock, and
// not when the timer fires.
func TestClockSetBack(t *testing.T) {
	k := newClock()
	var back time.Duration
	clock := tool.WithClock(func() time.Duration { return k.Now() - back })
	loop := &shifted{k.Loop, tool.NewHost(tool.TurnLimits{}, tool.WithStart(start), clock)}
	run := flow.Start(t.Context(), loop, minutely(k, time.Second, cron.Skip).Plan(), step.Unit{})
	k.Advance(20 * time.Second)
	back = 10 * time.Second
	k.Advance(14 * time.Second)
	want(t, k, "")
	k.Advance(1500 * time.Millisecond)
	want(t, k, "0 begin")
	run.Cancel(nil)
	k.Run()
}
