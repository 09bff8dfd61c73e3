package debug

import (
	"bytes"
	"runtime/trace"
	"sync"
	"time"
)

// Bounds of flight records. The size of each depends on the MaxBytes of the recorder.
const (
	flightPause = 10 * time.Second // least time between two records
	flightsKept = 3
)

// failures takes flight records of runs that fail. Loops only offer runs; the goroutine of Handler.Run takes the records.
type failures struct {
	recorder *trace.FlightRecorder // nil if no records are taken
	wake     chan struct{}

	mu     sync.Mutex
	offers *record // the first run that has failed since the last call of take, or nil
	last   time.Duration
	taken  ring[*record]
}

func newFailures(recorder *trace.FlightRecorder) *failures {
	return &failures{recorder: recorder, wake: make(chan struct{}, 1), taken: ring[*record]{limit: flightsKept}}
}

// offer asks for a record of a run that has failed. It doesn't block.
func (f *failures) offer(r *record) {
	if f.recorder == nil {
		return
	}
	f.mu.Lock()
	if f.offers == nil {
		f.offers = r
	}
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default: // the goroutine has been woken already
	}
}

// take takes the record that was asked for, unless the last one was taken less than flightPause ago. So there is one record
// for a burst of failures.
func (f *failures) take(now time.Duration) {
	f.mu.Lock()
	r := f.offers
	f.offers = nil
	recent := len(f.taken.items) > 0 && now-f.last < flightPause
	f.mu.Unlock()
	if r == nil || recent {
		return
	}
	var b bytes.Buffer
	if _, err := f.recorder.WriteTo(&b); err != nil || b.Len() == 0 {
		return // another record is being taken, or the recorder isn't on
	}
	r.mu.Lock()
	r.flight = b.Bytes()
	r.mu.Unlock()
	f.mu.Lock()
	f.last = now
	dropped, full := f.taken.add(r)
	f.mu.Unlock()
	if full {
		dropped.mu.Lock()
		dropped.flight = nil
		dropped.mu.Unlock()
	}
}
