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

// loop is one that is shown, by its name, and what is known of its lag.
type loop struct {
	name string
	tool.Tool

	mu      sync.Mutex
	pending *probe        // nil: every probe has run
	lag     time.Duration // of the last one that has
	down    bool          // it takes no more callbacks
}

// probe is a callback that tells how long it had to wait.
type probe struct {
	handle tool.Handle
	since  time.Duration // by the clock of the loop
	done   chan struct{} // closed when it has run
}

// answers waits for all of them, as far as there is time.
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

// measure asks the loops for a sign of life, and gives them some time for it.
func measure(loops []*loop) {
	var all []<-chan struct{}
	for _, l := range loops {
		if answer := l.ask(); answer != nil {
			all = append(all, answer)
		}
	}
	if len(all) > 0 {
		_, _ = flow.Run(context.Background(), answers, all) // who is late is seen by behind
	}
}

// ask queues a probe, unless that of another scrape waits, and gives the channel
// that is closed when it has run. It is nil if the probe is late: a stuck loop
// mustn't hold up every scrape.
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

// answer is called on the loop.
func (l *loop) answer(p *probe) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lag = l.Host().Now() - p.since
	if l.pending == p {
		l.pending = nil
	}
	close(p.done)
}

// behind is the lag: of the last probe, or so far of the one that waits.
func (l *loop) behind() (lag time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending != nil {
		return l.Host().Now() - l.pending.since, true
	}
	return l.lag, !l.down
}

// forget takes the probe back, if one waits.
func (l *loop) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending != nil {
		l.Cancel(l.pending.handle)
	}
}
