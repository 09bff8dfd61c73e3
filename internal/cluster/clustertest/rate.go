package clustertest

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

func throttleEntries(t *testing.T, s Server) {
	var all []<-chan error
	for range 3 {
		h := s.Connect(long).Throttle("t", 5, time.Hour, 0)
		for range 10 {
			all = append(all, run(t, h, pass))
		}
	}
	codes := map[fault.Code]int{}
	for _, ended := range all {
		codes[fault.CodeOf(within(t, ended))]++
	}
	if codes[""] != 5 || codes[fault.DefenseRejected] != 25 || len(codes) != 2 {
		t.Errorf("ended with %v", codes)
	}
}

// Flows that wait enter later: for 8 entries, 2 in a period, at least three periods pass.
func throttleRate(t *testing.T, s Server) {
	const period = 200 * time.Millisecond
	began := time.Now()
	var all []<-chan error
	var guards []Guard
	for range 2 {
		h := s.Connect(long).Throttle("t", 2, period, -1)
		guards = append(guards, h)
		for range 4 {
			all = append(all, run(t, h, pass))
		}
	}
	for _, ended := range all {
		wantCode(t, within(t, ended), "")
	}
	// A server may round the time of an entry.
	if took := time.Since(began); took < 3*period-time.Millisecond {
		t.Errorf("8 entries, 2 in a period, took %v", took)
	}
	wantIdle(t, guards...)
}

// A process that comes when the period is over doesn't wait. A throttle gives no fences.
func throttleOfALateProcess(t *testing.T, s Server) {
	const period = 100 * time.Millisecond
	fence := make(chan uint64, 2)
	note := step.Await(func(ctx context.Context, in string) (string, error) {
		fence <- syncx.Fence(ctx)
		return in, nil
	})
	for range 2 {
		wantCode(t, within(t, run(t, s.Connect(long).Throttle("t", 1, period, 0), note)), "")
		if f := within(t, fence); f != 0 {
			t.Errorf("the fence is %d", f)
		}
		<-time.After(period)
	}
}

func throttleWithdraw(t *testing.T, s Server) {
	h := s.Connect(long).Throttle("t", 1, time.Hour, -1)
	wantCode(t, within(t, run(t, h, pass)), "")
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		waits := runIn(ctx, h, pass)
		queues(t, h, 1)
		cancel()
		wantCode(t, within(t, waits), fault.Cancelled)
		wantIdle(t, h)
	}
}

// While the server is away flows wait until their own limit. When the server comes back, the earlier entries still count.
func throttleServerIsGone(t *testing.T, s Server) {
	h := s.Connect(long).Throttle("t", 1, time.Hour, 0)
	wantCode(t, within(t, run(t, h, pass)), "")
	s.Stop()
	limited := make(chan error, 1)
	go func() {
		_, err := flow.Run(t.Context(), flow.Timeout(100*time.Millisecond, syncx.Sync(h, pass)), "")
		limited <- err
	}()
	wantCode(t, within(t, limited), fault.Timeout)
	wantIdle(t, h)
	waits := run(t, h, pass)
	queues(t, h, 1)
	s.Start()
	wantCode(t, within(t, waits), fault.DefenseRejected)
	wantIdle(t, h)
}

func limiterBoundsBoth(t *testing.T, s Server) {
	limits := syncx.Limits{Concurrent: 2, MaxQueue: -1, Rate: 3, Period: time.Hour}
	a, b := s.Connect(long).Limiter("l", limits), s.Connect(long).Limiter("l", limits)
	h := newHeld()
	all := []<-chan error{run(t, a, h.step()), run(t, b, h.step())}
	for range all {
		if fence := within(t, h.began); fence == 0 {
			t.Error("a section has no fence")
		}
	}
	all = append(all, run(t, a, h.step()))
	queues(t, a, 1)
	close(h.let)
	for _, ended := range all {
		wantCode(t, within(t, ended), "")
	}
	for _, l := range []Guard{b, a} {
		wantCode(t, within(t, run(t, l, pass)), fault.DefenseRejected)
	}
	wantIdle(t, a, b)
}

// A flow that is cancelled while it waits for the rate gives its place back.
func limiterWithdraw(t *testing.T, s Server) {
	p := s.Connect(long)
	l := p.Limiter("l", syncx.Limits{MaxQueue: -1, Period: time.Hour, Burst: -1})
	taken := func() bool {
		owner, err := p.Owner("l")
		if err != nil {
			t.Error(err)
		}
		return owner != ""
	}
	wantCode(t, within(t, run(t, l, pass)), "")
	for range 2 {
		Eventually(t, "the place is free", func() bool { return !taken() })
		ctx, cancel := context.WithCancel(t.Context())
		waits := runIn(ctx, l, pass)
		Eventually(t, "it has the place", taken)
		wantQueued(t, l, 1)
		cancel()
		wantCode(t, within(t, waits), fault.Cancelled)
		wantIdle(t, l)
	}
	Eventually(t, "the place is free again", func() bool { return !taken() })
}

func notWellFormed(t *testing.T, s Server) {
	p, short, endless := s.Connect(long), s.Connect(time.Millisecond), s.Connect(math.MaxInt64)
	for what, g := range map[string]Guard{
		"a short lease":          short.Mutex("m", 1, 0),
		"an endless lease":       endless.Mutex("m", 1, 0),
		"no name":                p.Mutex("", 1, 0),
		"a name with braces":     p.Throttle("{a}", 1, time.Second, 0),
		"no places":              p.Mutex("m", 0, 0),
		"too many places":        p.Mutex("m", math.MaxInt, 0),
		"no entries":             p.Throttle("t", 0, time.Second, 0),
		"no period":              p.Throttle("t", 1, 0, 0),
		"a negative concurrency": p.Limiter("l", syncx.Limits{Concurrent: -1}),
		"a negative rate":        p.Limiter("l", syncx.Limits{Rate: -1}),
		"a negative period":      p.Limiter("l", syncx.Limits{Period: -1}),
	} {
		if code := fault.CodeOf(g.Err()); code != fault.InvalidRequest {
			t.Errorf("%s: %q", what, code)
		}
		if code := fault.CodeOf(syncx.Sync(g, pass).Err()); code != fault.InvalidRequest {
			t.Errorf("%s: the plan has %q", what, code)
		}
	}
	for _, g := range []Guard{p.Mutex("m", 1, 0), p.Throttle("t", 1, time.Second, 0), p.Limiter("l", syncx.Limits{})} {
		if err := syncx.Sync(g, pass).Err(); err != nil {
			t.Error(err)
		}
	}
}
