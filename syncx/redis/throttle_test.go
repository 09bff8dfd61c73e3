package redis_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/redis"
)

var pass = step.Map(func(name string) string { return name })

// G3: processes share the entries of a window.
func TestThrottleAcrossProcesses(t *testing.T) {
	s := serve(t)
	var all []<-chan error
	for range 3 {
		h := newProcess(t, s, long).guards.Throttle("t", 5, time.Hour, 0)
		for range 10 {
			all = append(all, run(t, h, pass))
		}
	}
	codes := map[fault.Code]int{}
	for _, ended := range all {
		codes[fault.CodeOf(within(t, ended))]++
	}
	if codes[""] != 5 || codes[fault.DefenseRejected] != 25 {
		t.Errorf("ended with %v", codes)
	}
}

// G7: those that wait enter one by one, as the rate allows.
func TestThrottleWaits(t *testing.T) {
	const period = 200 * ms
	s := serve(t)
	began := time.Now()
	var all []<-chan error
	for range 2 {
		h := newProcess(t, s, long).guards.Throttle("t", 2, period, -1)
		for range 4 {
			all = append(all, run(t, h, pass))
		}
	}
	for _, ended := range all {
		wantCode(t, within(t, ended), "")
	}
	if took := time.Since(began); took < 3*period-ms {
		t.Errorf("8 entries, 2 in a period, took %v", took)
	}
}

// A process that comes later doesn't wait for a window that is long over.
func TestThrottleOfALateProcess(t *testing.T) {
	const period = 100 * ms
	s := serve(t)
	wantCode(t, within(t, run(t, newProcess(t, s, long).guards.Throttle("t", 1, period, 0), pass)), "")
	<-time.After(period)
	wantCode(t, within(t, run(t, newProcess(t, s, long).guards.Throttle("t", 1, period, 0), pass)), "")
}

// G4: a limiter bounds both, and gives its place back if the rate is used up.
func TestLimiterAcrossProcesses(t *testing.T) {
	s := serve(t)
	limits := syncx.Limits{Concurrent: 2, MaxQueue: -1, Rate: 3, Period: time.Hour}
	a, b := newProcess(t, s, long).guards.Limiter("l", limits), newProcess(t, s, long).guards.Limiter("l", limits)
	h := newHeld()
	var all []<-chan error
	for _, l := range []*redis.Limiter{a, b} {
		all = append(all, run(t, l, h.step()))
	}
	within(t, h.began)
	within(t, h.began)
	third := run(t, a, h.step())
	eventually(t, "the third waits", func() bool { return a.Queued() == 1 })
	close(h.let)
	for _, ended := range append(all, third) {
		wantCode(t, within(t, ended), "")
	}
	wantCode(t, within(t, run(t, b, pass)), fault.DefenseRejected)
	wantCode(t, within(t, run(t, a, flow.Of(pass))), fault.DefenseRejected)
}

// Guards that aren't well formed say so before anything runs.
func TestGuardsThatAreNotWellFormed(t *testing.T) {
	p := newProcess(t, serve(t), long)
	for what, g := range map[string]syncx.Guard{
		"no client":              redis.New(nil, long).Mutex("m", 1, 0),
		"no lease":               redis.New(p.client, 0).Mutex("m", 1, 0),
		"the zero Guards":        new(redis.Guards).Throttle("t", 1, time.Second, 0),
		"nil Guards":             (*redis.Guards)(nil).Limiter("l", syncx.Limits{}),
		"no name":                p.guards.Mutex("", 1, 0),
		"a name with braces":     p.guards.Mutex("{a}", 1, 0),
		"no places":              p.guards.Mutex("m", 0, 0),
		"no entries":             p.guards.Throttle("t", 0, time.Second, 0),
		"no period":              p.guards.Throttle("t", 1, 0, 0),
		"a negative concurrency": p.guards.Limiter("l", syncx.Limits{Concurrent: -1}),
		"a negative rate":        p.guards.Limiter("l", syncx.Limits{Rate: -1}),
		"a negative period":      p.guards.Limiter("l", syncx.Limits{Period: -1}),
		"the zero Mutex":         new(redis.Mutex),
		"the zero Throttle":      new(redis.Throttle),
		"the zero Limiter":       new(redis.Limiter),
		"a nil Mutex":            (*redis.Mutex)(nil),
	} {
		if err := syncx.Sync(g, pass).Err(); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, g := range []syncx.Guard{p.guards.Mutex("m", 1, 0), p.guards.Throttle("t", 1, time.Second, 0), p.guards.Limiter("l", syncx.Limits{})} {
		if err := syncx.Sync(g, pass).Err(); err != nil {
			t.Error(err)
		}
	}
}
