package nats_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/nats"
)

var pass = step.Map(func(name string) string { return name })

// G3: processes share the entries of a window.
func TestThrottleAcrossProcesses(t *testing.T) {
	s := serve(t, t.TempDir(), anyPort)
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

// G3: those that wait enter in later windows, no more in each than it allows.
func TestThrottleWaits(t *testing.T) {
	const period = 200 * ms
	s := serve(t, t.TempDir(), anyPort)
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
	if took := time.Since(began); took < 3*period {
		t.Errorf("8 entries, 2 in a period, took %v", took)
	}
}

// A process that comes later doesn't wait for a window that is long over.
func TestThrottleOfALateProcess(t *testing.T) {
	const period = 100 * ms
	s := serve(t, t.TempDir(), anyPort)
	wantCode(t, within(t, run(t, newProcess(t, s, long).guards.Throttle("t", 1, period, 0), pass)), "")
	<-time.After(period)
	wantCode(t, within(t, run(t, newProcess(t, s, long).guards.Throttle("t", 1, period, 0), pass)), "")
}

// G4: a limiter bounds both, and gives its place back if the rate is used up.
func TestLimiterAcrossProcesses(t *testing.T) {
	s := serve(t, t.TempDir(), anyPort)
	limits := syncx.Limits{Concurrent: 2, MaxQueue: -1, Rate: 3, Period: time.Hour}
	a, b := newProcess(t, s, long).guards.Limiter("l", limits), newProcess(t, s, long).guards.Limiter("l", limits)
	h := newHeld()
	var all []<-chan error
	for _, l := range []*nats.Limiter{a, b} {
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
	p := newProcess(t, serve(t, t.TempDir(), anyPort), long)
	for what, g := range map[string]syncx.Guard{
		"no bucket":              nats.New(nil, long).Mutex("m", 1, 0),
		"no lease":               nats.New(p.kv, 0).Mutex("m", 1, 0),
		"the zero Guards":        new(nats.Guards).Throttle("t", 1, time.Second, 0),
		"nil Guards":             (*nats.Guards)(nil).Limiter("l", syncx.Limits{}),
		"no name":                p.guards.Mutex("", 1, 0),
		"a name that is no key":  p.guards.Mutex("a b", 1, 0),
		"a name of dots":         p.guards.Mutex("a..b", 1, 0),
		"no places":              p.guards.Mutex("m", 0, 0),
		"no entries":             p.guards.Throttle("t", 0, time.Second, 0),
		"no period":              p.guards.Throttle("t", 1, 0, 0),
		"a negative concurrency": p.guards.Limiter("l", syncx.Limits{Concurrent: -1}),
		"a negative rate":        p.guards.Limiter("l", syncx.Limits{Rate: -1}),
		"a negative period":      p.guards.Limiter("l", syncx.Limits{Period: -1}),
		"the zero Mutex":         new(nats.Mutex),
		"the zero Throttle":      new(nats.Throttle),
		"the zero Limiter":       new(nats.Limiter),
		"a nil Mutex":            (*nats.Mutex)(nil),
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
