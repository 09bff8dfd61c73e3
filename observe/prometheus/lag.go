package prometheus

import (
	"context"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// patience is how long a scrape waits for all loops together.
const patience = 100 * time.Millisecond

type loop struct {
	name string
	tool.Tool

	mu      sync.Mutex
	pending *probe        // the probe that waits for the loop, or nil
	lag     time.Duration // the lag that the last probe has measured
	down    bool          // the loop takes no more callbacks
}

type probe struct {
	handle tool.Handle
	since  time.Duration // by the clock of the loop
	done   chan struct{} // closed when the callback has run
}

// answers waits until the probes have run, or until patience is over.
var answers = flow.Timeout(patience, step.Await(func(ctx context.Context, all []<-chan struct{}) (struct{}, error) {
	for _, answer := range all {
		select {
		case <-answer:
		case <-ctx.Done():
			return struct{}{}, context.Cause(ctx)
		}
	}
	return struct{}{}, nil
}))

func measure(loops []*loop) {
	var all []<-chan struct{}
	for _, l := range loops {
		if answer := l.ask(); answer != nil {
			all = append(all, answer)
		}
	}
	if len(all) > 0 {
		_, _ = flow.Run(context.Background(), answers, all) // the error isn't needed: the method behind tells how late a loop is whose probe hasn't run
	}
}

// ask queues a probe, unless one is pending, and returns the channel that is closed when the probe has run. It returns nil
// if the loop is shut down, or the pending probe is late, so that a stuck loop doesn't hold up every scrape.
func (l *loop) ask() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.pending; p != nil && l.Valid(p.handle) {
		if l.Host().Now()-p.since < patience {
			return p.done
		}
		return nil
	}
	p := &probe{since: l.Host().Now(), done: make(chan struct{})}
	var err error
	p.handle, err = l.Immediate(func() { l.answer(p) })
	if l.down = err != nil; l.down {
		l.pending = nil
		return nil
	}
	l.pending = p
	return p.done
}

// answer is the callback of p, on the loop.
func (l *loop) answer(p *probe) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lag = l.Host().Now() - p.since
	if l.pending == p {
		l.pending = nil
	}
	close(p.done)
}

// behind returns how long a pending probe has waited so far or, if none is pending, the lag of the last probe. ok is false if
// the loop is shut down.
func (l *loop) behind() (lag time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending != nil {
		return l.Host().Now() - l.pending.since, true
	}
	return l.lag, !l.down
}

func (l *loop) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending != nil {
		l.Cancel(l.pending.handle)
	}
}
