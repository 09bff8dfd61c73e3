package flow

import (
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/op"
)

// Latency learns how long calls usually take, for [HedgeSlow]: with a quantile of 0.95 the second branch begins when
// the first takes longer than 95 of 100 calls did, so that about one call in twenty is made twice. After every 32 calls
// the Latency computes the delay anew, from the last 256 calls at most. Make a Latency with [NewLatency] for each
// callee; several plans may share it.
//
// A Latency is safe for concurrent use, by runs on any loops. It must not be copied.
type Latency struct {
	quantile float64
	initial  time.Duration

	mu    sync.Mutex
	delay time.Duration
	took  [window]time.Duration
	calls int // how many calls were measured
}

const (
	window = 256 // the delay is computed from the latest calls, at most this many
	fresh  = 32  // the delay is computed again after this many calls
)

// NewLatency makes a Latency. A call is slow if it takes longer than the given quantile of the times that were measured.
// Until 32 calls were measured it is slow if it takes longer than the initial time. With a quantile that isn't
// strictly between 0 and 1, or an initial time that isn't positive, plans that use the Latency can't be run, see [Latency.Err].
func NewLatency(quantile float64, initial time.Duration) *Latency {
	return &Latency{quantile: quantile, initial: initial, delay: initial}
}

// Err returns the error of invalid arguments of [NewLatency], a [fault.InvalidRequest]; nil if they are valid. A nil Latency
// and the zero Latency have an error too.
func (l *Latency) Err() error {
	switch {
	case l == nil:
		return fault.New(fault.InvalidRequest, "the Latency is nil")
	case !(l.quantile > 0 && l.quantile < 1): // also if it is NaN
		return fault.New(fault.InvalidRequest, "Latency: the quantile must be between 0 and 1, got "+strconv.FormatFloat(l.quantile, 'g', -1, 64))
	case l.initial <= 0:
		return fault.New(fault.InvalidRequest, "Latency: the initial time must be positive, got "+l.initial.String())
	}
	return nil
}

// Slow returns the time after which a call counts as slow now. Any goroutine may call it.
func (l *Latency) Slow() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.delay
}

// pace implements op.Pace.
type pace Latency

var _ op.Pace = (*pace)(nil)

// Delay implements op.Pace.
func (p *pace) Delay() time.Duration { return (*Latency)(p).Slow() }

// Took implements op.Pace.
func (p *pace) Took(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took[p.calls%window] = max(d, 1)
	if p.calls++; p.calls%fresh > 0 {
		return
	}
	sorted := p.took
	known := sorted[:min(p.calls, window)]
	slices.Sort(known)
	p.delay = known[int(p.quantile*float64(len(known)))]
}
