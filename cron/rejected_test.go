package cron_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// A round that a guard turns away has failed, unless its work catches that.
func TestRoundThatIsTurnedAway(t *testing.T) {
	one := syncx.NewMutex(1, 0)
	k := newClock()
	long := syncx.Sync(one, step.Delay[step.Unit](time.Hour))
	turned := syncx.Sync(one, k.work(time.Second))
	caught := flow.Catch(turned, func(_ step.Scope, err error) step.Next[step.Unit] {
		if fault.Is(err, fault.DefenseRejected) {
			return step.Succeed(step.Unit{})
		}
		return step.Unwind[step.Unit]()
	})
	table := cron.New(
		cron.Job{Name: "long", Period: time.Minute, Work: long},
		cron.Job{Name: "turned away", Period: time.Minute, Work: turned},
		cron.Job{Name: "caught", Period: time.Minute, Work: caught},
	)
	run := k.run(t, table)
	k.Advance(100 * time.Second)
	for _, s := range table.List()[1:] {
		failed := s.Name == "turned away"
		if s.Rounds != 2 || (s.Failed == 2) != failed || fault.Is(s.Err, fault.DefenseRejected) != failed {
			t.Errorf("%+v", s)
		}
	}
	run.Cancel(nil)
	k.Run()
}
