package cron_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// chaos is a table on which anything is done at any time, also by its rounds.
type chaos struct {
	*clock

	t              *testing.T
	r              *rand.Rand
	table          *cron.Table
	quiet, settled bool
	atWork         map[string]bool
	rounds         map[string]int // since the table is quiet
}

var names = []string{"a", "b", "c", "d"}

func (c *chaos) seconds(n int) time.Duration { return time.Duration(c.r.IntN(2*n)) * time.Second / 2 }

func (c *chaos) act() {
	name := names[c.r.IntN(len(names))]
	switch n := c.r.IntN(16); {
	case c.quiet:
	case n < 4:
		set(c.t, c.table, c.jobs()...)
	case n < 6:
		set(c.t, c.table)
		set(c.t, c.table, c.jobs()...)
	case n < 8:
		_ = c.table.Pause(name)
	case n < 10:
		_ = c.table.Resume(name)
	case n < 11:
		c.setBack(c.seconds(20)) // or forward, if it was set back further
	default:
		_ = c.table.RunNow(name)
	}
}

// random returns a job of any kind. The last one never ends by a break, so the run doesn't either.
func (c *chaos) random(name string) cron.Job {
	begin := step.Func(func(_ step.Scope, u step.Unit) (step.Unit, error) {
		if c.atWork[name] {
			c.t.Error("two rounds of", name)
		}
		c.atWork[name] = true
		switch c.r.IntN(6) {
		case 0:
			c.act()
		case 1:
			return u, errors.New("no")
		}
		return u, nil
	})
	end := step.New(func(step.Scope, step.Unit) step.Next[step.Unit] {
		delete(c.atWork, name)
		switch n := c.r.IntN(12); {
		case n < 2:
			c.act()
		case n == 2 && name != "d":
			return loopx.Break[step.Unit]()
		}
		return step.Succeed(step.Unit{})
	})
	work := flow.Chain(begin, step.Delay[step.Unit](c.seconds(15)), end)
	period := time.Duration(1+c.r.IntN(20)) * time.Second / 2
	j := cron.Job{Name: name, Next: cron.Every(period), Overlap: cron.Overlap(c.r.IntN(4))}
	j.Work = flow.OnCancel(work, func(step.Scope) { delete(c.atWork, name) })
	switch c.r.IntN(6) {
	case 0:
		j.Jitter = c.seconds(3)
	case 1:
		j.Limit = c.seconds(10)
	case 2:
		j.Next = func(after time.Time) time.Time { return after.Add(period) }
	}
	return j
}

func (c *chaos) jobs() (jobs []cron.Job) {
	for _, i := range c.r.Perm(len(names)) {
		if i == 3 || c.r.IntN(3) > 0 {
			jobs = append(jobs, c.random(names[i]))
		}
	}
	return jobs
}

// settle gives the table quiet jobs, which have their rounds at their times whatever was before.
func (c *chaos) settle() {
	c.quiet = true
	jobs := make([]cron.Job, len(names))
	for i, name := range names {
		count := step.Func(func(as step.Scope, u step.Unit) (step.Unit, error) {
			c.rounds[name]++
			if at := as.Now(); c.settled && !at.Truncate(5*time.Second).Equal(at) {
				c.t.Error("a round of", name, "at", at)
			}
			return u, nil
		})
		jobs[i] = cron.Job{Name: name, Period: 5 * time.Second, Work: flow.Then(count, step.Delay[step.Unit](time.Second)), Overlap: cron.Overlap(c.r.IntN(4))}
	}
	set(c.t, c.table, jobs...)
	for _, name := range names {
		_ = c.table.Resume(name)
	}
	c.Advance(time.Minute) // RunNow and times that wait may have rounds at other times
	clear(c.rounds)
	c.settled = true
	c.Advance(50 * time.Second)
	for _, name := range names {
		if n := c.rounds[name]; n != 10 {
			c.t.Errorf("%d rounds of %s: %+v", n, name, c.table.List())
		}
	}
	c.quiet, c.settled = false, false
}

// Whatever was done to a table, its run goes on, no two rounds of a job are at work at once, and the jobs of the last Set
// have their rounds.
func TestSetAtRandom(t *testing.T) {
	for seed := range uint64(40) {
		c := &chaos{clock: newClock(), t: t, r: rand.New(rand.NewPCG(seed, 1)), atWork: map[string]bool{}, rounds: map[string]int{}}
		c.table = cron.New(c.jobs()...)
		plans := []flow.Plan[step.Unit, step.Unit]{c.table.Plan()}
		for range 3 {
			run := flow.Start(t.Context(), c.Loop, plans[c.r.IntN(len(plans))], step.Unit{})
			for range 50 {
				c.act()
				if _, err := c.Deferred(c.seconds(2), c.act); err != nil {
					t.Fatal(err)
				}
				c.Advance(c.seconds(2))
			}
			c.Advance(2 * time.Second)
			living(t, run)
			c.settle()
			set(t, c.table, c.jobs()...)
			c.Advance(7 * time.Second)
			run.Cancel(nil)
			c.Advance(0)
			if c.Pending() != 0 || len(c.atWork) != 0 {
				t.Errorf("%d callbacks and the rounds of %v are left", c.Pending(), c.atWork)
			}
			plans = append(plans, c.table.Plan())
		}
		if t.Failed() {
			t.Fatal("seed", seed)
		}
	}
}
