package cron_test

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// oneStep is a loop whose turns end after each step.
type oneStep struct {
	*tooltest.Loop

	host *tool.Host
}

func (l oneStep) Host() *tool.Host { return l.host }

// Set may come at any moment of the end of a run: either the run goes on with its jobs, or RunNow tells that it doesn't and
// they are those of the next one.
func TestSetWhileTheLastJobBreaks(t *testing.T) {
	taken, late := 0, 0
	for after := 0; ; after++ {
		k := newClock()
		broken := false
		work := step.New(func(step.Scope, step.Unit) step.Next[step.Unit] { broken = true; return loopx.Break[step.Unit]() })
		table := cron.New(cron.Job{Name: "a", Period: time.Minute, Work: work})
		loop := oneStep{k.Loop, tool.NewHost(tool.TurnLimits{Steps: 1}, tool.WithStart(start), tool.WithClock(k.Now))}
		run := flow.Start(t.Context(), loop, table.Plan(), step.Unit{})
		k.RunUntil(func() bool { return broken })
		for range after {
			k.Step()
		}
		if _, err := run.Result(); !errors.Is(err, flow.ErrRunning) {
			break
		}
		set(t, table, k.job("b", time.Second, cron.Skip))
		switch err := table.RunNow("b"); {
		case err == nil:
			taken++
			k.Advance(2 * time.Second)
			living(t, run)
		case errors.Is(err, cron.ErrNotRunning):
			late++
			k.Advance(0)
			ended(t, run)
			run = k.run(t, table)
			k.Advance(65 * time.Second)
		default:
			t.Error(err)
		}
		if len(k.log) != 2 {
			t.Errorf("%d callbacks after the break: %v", after, k.log)
		}
		run.Cancel(nil)
		k.Run()
	}
	if taken == 0 || late == 0 {
		t.Errorf("%d went on, %d were late", taken, late)
	}
}

// A run that was cancelled takes no job, also while a round is still at work.
func TestSetAfterACancel(t *testing.T) {
	k := newClock()
	table := cron.New(cron.Job{Name: "long", Next: cron.Every(time.Minute), Work: flow.Grace(-1, flow.Shield(k.work(50*time.Second)))})
	run := k.run(t, table)
	k.Advance(30 * time.Second)
	run.Cancel(nil)
	k.Advance(0)
	set(t, table, k.job("new", time.Second, cron.Skip))
	if err := table.RunNow("new"); !errors.Is(err, cron.ErrNotRunning) {
		t.Error(err)
	}
	k.Advance(2 * time.Minute)
	run = k.run(t, table)
	k.Advance(time.Minute)
	want(t, k, "0 begin, 50 end, 180 new+, 181 new-")
	run.Cancel(nil)
	k.Run()
}
