package debug

import (
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

type loop struct {
	name string
	tool.Tool

	mu      sync.Mutex
	pending *sampleProbe // the last callback that was queued, or nil
	problem string       // why the loop didn't run the last callback that was asked for; "" for none
	history ring[loopSample]
}

type loopSample struct {
	lag  time.Duration // how long the callback of the previous sample waited, or has waited so far
	live int
}

type sampleProbe struct {
	handle tool.Handle
	since  time.Duration // by the clock of the loop
	lag    time.Duration
	ran    bool
}

// sample records how long the last callback has waited, and queues the next callback if the last one has run. It doesn't wait for
// the loop, so the lag of a stuck loop grows from sample to sample.
func (l *loop) sample() {
	host := l.Host()
	now := host.Now()
	l.mu.Lock()
	p := l.pending
	if p != nil {
		lag := p.lag
		l.problem = ""
		if !p.ran {
			lag, l.problem = now-p.since, noAnswer
		}
		l.history.add(loopSample{lag, host.Live()})
	}
	next := p == nil || p.ran
	if next {
		l.pending = &sampleProbe{since: now}
		p = l.pending
	}
	l.mu.Unlock()
	if !next {
		return
	}
	handle, err := l.Immediate(func() {
		at := host.Now()
		l.mu.Lock()
		defer l.mu.Unlock()
		p.lag, p.ran = at-p.since, true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	p.handle = handle
	if err != nil {
		l.pending, l.problem = nil, refusalOf(err)
	}
}

// found keeps the problem of an answer for later pages. It is "" if the loop has answered.
func (l *loop) found(a answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.problem = a.problem
}

func (l *loop) withdraw() {
	l.mu.Lock()
	p := l.pending
	l.pending = nil
	l.mu.Unlock()
	if p != nil {
		l.Cancel(p.handle)
	}
}

// refusalOf returns why a loop accepts no callback, or "".
func refusalOf(err error) string {
	if fault.Is(err, tool.ErrShutdown) {
		return "it is shut down"
	}
	return brief(err)
}
