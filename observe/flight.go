package observe

import (
	"context"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// Flight keeps the last n events of each run. If the run ends with [fault.Timeout], with [fault.DefenseRejected], or with a panic
// among its errors, Flight attaches the events to its error, as Record of the [fault.Error], and %+v of the error prints them.
// Other runs leave nothing behind. An n below 1 keeps nothing.
//
// The memory for n events is taken from a pool when a run starts, and given back when the run
// ends.
//
// The error of an event is kept as it is, so it must not change after it was raised. Only the last of the [Progress] events of
// a stream is kept.
func Flight(n int) Observer {
	if n < 1 {
		return Func(func(ctx context.Context, _ Run) (context.Context, Watch) { return ctx, nil })
	}
	pool := sync.Pool{New: func() any {
		return &flight{ring: make([]moment, n), paths: make(paths)}
	}}
	return Func(func(ctx context.Context, _ Run) (context.Context, Watch) {
		f := pool.Get().(*flight)
		return ctx, func(e Event) {
			if e.Kind != RunEnd {
				f.note(e)
				return
			}
			f.attach(e.Err)
			f.reset()
			pool.Put(f)
		}
	})
}

// flight is the recorder of one run.
type flight struct {
	ring  []moment
	next  int // counts the events
	paths paths
}

// moment holds what a fault.Event is made from. The texts of events are made only if the error of the run gets a record.
type moment struct {
	kind    Kind
	outcome fault.Outcome
	at      time.Duration
	path    string
	label   string
	err     error
	note    string
}

func (f *flight) note(e Event) {
	note, kept := noteOf(e)
	if !kept {
		return
	}
	f.ring[f.next%len(f.ring)] = moment{e.Kind, e.Outcome, e.At, f.paths.of(e), e.Label(), e.Err, note}
	f.next++
}

func (f *flight) reset() {
	clear(f.ring) // so that the pool keeps no errors alive
	clear(f.paths)
	f.next = 0
}

// attach attaches the record to err, the error of the run, if err is a *fault.Error and the run has crashed.
func (f *flight) attach(err error) {
	if e, ok := err.(*fault.Error); ok && e != nil && crashed(err) { //nolint:errorlint // the run's own error: those that it wraps may be shared
		e.Record = f.record()
	}
}

// crashed reports whether err is a timeout or a rejection, or has a panic in it.
func crashed(err error) bool {
	switch fault.CodeOf(err) {
	case fault.Timeout, fault.DefenseRejected:
		return true
	default:
		_, panicked := fault.AsType[*fault.Panic](err)
		return panicked
	}
}

// record returns the contents of the ring, oldest first.
func (f *flight) record() []fault.Event {
	kept := min(f.next, len(f.ring))
	moments := make([]fault.Event, kept)
	for i := range moments {
		m := f.ring[(f.next-kept+i)%len(f.ring)]
		moments[i] = fault.Event{At: m.at, What: m.what(), Path: m.path, Name: m.label, Err: m.err}
	}
	return moments
}

func (m moment) what() string {
	if m.kind == Handled {
		return m.kind.String() + ", " + m.outcome.String()
	}
	if m.note != "" {
		return m.kind.String() + ", " + m.note
	}
	return m.kind.String()
}
