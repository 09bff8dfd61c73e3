package cron_test

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/internal/racetest"
)

// many returns n jobs of each minute. Each call of a Next is counted in calls.
func (c *clock) many(n int, calls *int) []cron.Job {
	jobs := make([]cron.Job, n)
	for i := range jobs {
		jobs[i] = c.job(strconv.Itoa(i), time.Second, cron.Skip)
		next := jobs[i].Next
		jobs[i].Next = func(after time.Time) time.Time { *calls++; return next(after) }
	}
	return jobs
}

// most returns the highest difference that a callback of the loop makes to what count returns, until nothing is due now.
func (c *clock) most(t *testing.T, count func() int) (highest int) {
	t.Helper()
	over := false
	if _, err := c.Deferred(1, func() { over = true }); err != nil {
		t.Fatal(err)
	}
	for before := count(); c.Step() && !over; before = count() {
		highest = max(highest, count()-before)
	}
	return highest
}

// However many jobs Set is given, no callback of the loop does more than some hundred of them.
func TestSetOfManyJobsLetsOthersWork(t *testing.T) {
	if racetest.Enabled {
		t.Skip("the race detector allocates")
	}
	const n = 2000
	k, calls := newClock(), 0
	table := cron.New()
	run := k.run(t, table)
	k.Advance(0)
	jobs := k.many(n, &calls)
	set(t, table, jobs...)
	allocations := func() int {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return int(stats.Mallocs)
	}
	if got := k.most(t, allocations); got > 10*n {
		t.Errorf("new jobs: %d allocations in a callback", got)
	}
	if calls != n {
		t.Errorf("%d jobs have begun", calls)
	}
	set(t, table, jobs...)
	if got := k.most(t, func() int { return calls }); got > n/10 {
		t.Errorf("the same jobs: %d calls of Next in a callback", got)
	}
	if calls != 2*n {
		t.Errorf("%d jobs have taken their new times", calls-n)
	}
	run.Cancel(nil)
	k.Run()
}
