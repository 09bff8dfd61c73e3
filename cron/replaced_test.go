package cron_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// The error of a round tells whether a later one has taken its place, by its time or by RunNow, or it was cancelled.
func TestErrReplaced(t *testing.T) {
	for name, c := range map[string]struct {
		act      func(table *cron.Table, cancel func()) // 30 seconds after noon
		takes    time.Duration
		replaced bool
	}{
		"by a time": {func(*cron.Table, func()) {}, 65 * time.Second, true},
		"by RunNow": {func(table *cron.Table, _ func()) { _ = table.RunNow("job") }, 50 * time.Second, true},
		"cancelled": {func(_ *cron.Table, cancel func()) { cancel() }, 50 * time.Second, false},
		"both":      {func(table *cron.Table, cancel func()) { _ = table.RunNow("job"); cancel() }, 50 * time.Second, false},
	} {
		k := newClock()
		table := minutely(k, c.takes, cron.Replace)
		run := k.run(t, table)
		k.Advance(55 * time.Second)
		c.act(table, func() { run.Cancel(nil) })
		k.Advance(35 * time.Second)
		s := table.List()[0]
		if s.Failed != s.Rounds || errors.Is(s.Err, cron.ErrReplaced) != c.replaced || !errors.Is(s.Err, fault.Cancelled) {
			t.Errorf("%s: %+v", name, s)
		}
		run.Cancel(nil)
		k.Run()
		if s := table.List()[0]; errors.Is(s.Err, cron.ErrReplaced) {
			t.Errorf("%s, then cancelled: %+v", name, s)
		}
	}
}

// The context of a round that is replaced ends with ErrReplaced as its cause, and that of one that is cancelled with its cause.
func TestCauseOfAReplacedRound(t *testing.T) {
	k := newClock()
	var causes []error
	work := step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
		ctx := as.Context()
		as.SetCancel(func() { causes = append(causes, context.Cause(ctx)) })
		return step.Wait(as, func(step.Done[step.Unit]) {})
	})
	table := cron.New(cron.Job{Name: "job", Period: time.Minute, Work: work, Overlap: cron.Replace})
	run := k.run(t, table)
	k.Advance(90 * time.Second)
	run.Cancel(errStopped)
	k.Run()
	if len(causes) != 2 || !errors.Is(causes[0], cron.ErrReplaced) || !errors.Is(causes[1], errStopped) {
		t.Errorf("the causes are %v", causes)
	}
}

var errStopped = errors.New("stopped")

// A loopx.Continue ends a round without an error, also with Replace.
func TestContinueIsNoReplacement(t *testing.T) {
	for _, takes := range []time.Duration{0, time.Second} {
		k := newClock()
		continues := step.New(func(step.Scope, step.Unit) step.Next[step.Unit] { return loopx.Continue[step.Unit]() })
		work := flow.Chain(k.work(takes), continues)
		if takes == 0 {
			work = flow.Of(continues)
		}
		table := cron.New(cron.Job{Name: "job", Period: time.Minute, Work: work, Overlap: cron.Replace})
		run := k.run(t, table)
		k.Advance(100 * time.Second)
		if s := table.List()[0]; s.Rounds != 2 || s.Failed != 0 {
			t.Errorf("%v: %+v", takes, s)
		}
		run.Cancel(nil)
		k.Run()
	}
}
