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
	problem string       // found when the loop was last asked; "" for none
	history ring[loopSample]
}

type loopSample struct {
	lag  time.Duration // of the callback of the previous sample; if that still waits, its wait so far
	live int
}

type sampleProbe struct {
	handle tool.Handle
	since  time.Duration // by the clock of the loop
	lag    time.Duration
	ran    bool
}

// sample records how long the last callback has waited, and queues the next one if that has run. It doesn't wait: the lag of a
// stuck loop grows from sample to sample.
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

// found keeps the problem that a page has found, or "", for later pages.
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
