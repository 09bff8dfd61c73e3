package wasm

import (
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// watch stops calls of guests that take too long. A timer of the system ticks while instances are watched: the loop's own
// can't, because the guest holds the loop. A call costs two additions to an atomic number, by which the next ticks see
// whether it is still the same call.
type watch struct {
	turn time.Duration

	mu      sync.Mutex
	watched map[*instance]*sight
	hurried int         // how many instances are in a hurry
	timer   *time.Timer // nil until the first use
	ticks   bool        // the timer runs
}

// sight is the call of an instance that was seen at the last ticks.
type sight struct {
	call  uint64 // the number of the call; 0: none was seen
	since time.Time
	hurry bool // the step of the guest is being cancelled
}

// hurry is how long a call of a guest may take whose step is cancelled.
const hurry = 5 * time.Millisecond

// ticksOfTurn is how many ticks a turn has.
const ticksOfTurn = 8

// add watches an instance.
func (w *watch) add(i *instance) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watched == nil {
		w.watched = make(map[*instance]*sight)
	}
	w.watched[i] = new(sight)
	if !w.ticks {
		w.begin()
	}
}

// begin begins to tick; mu is held.
func (w *watch) begin() {
	every := max(w.turn/ticksOfTurn, time.Millisecond)
	if w.hurried > 0 {
		every = time.Millisecond
	}
	w.ticks = true
	if w.timer == nil {
		w.timer = time.AfterFunc(every, w.look)
	} else {
		w.timer.Reset(every)
	}
}

// urge gives the instance, whose step is being cancelled, less time. Any goroutine may call it.
func (w *watch) urge(i *instance) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watched[i] == nil {
		if w.watched == nil {
			w.watched = make(map[*instance]*sight)
		}
		w.watched[i] = new(sight)
	}
	w.watched[i].hurry = true
	w.hurried++
	w.begin()
}

// remove ends the watch of an instance.
func (w *watch) remove(i *instance) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.watched[i]; s != nil && s.hurry {
		w.hurried--
	}
	delete(w.watched, i)
}

// look stops the calls that have taken too long. It is called at each tick.
func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	for i, s := range w.watched {
		w.see(i, s, now)
	}
	if w.ticks = len(w.watched) > 0; w.ticks {
		w.begin()
	}
}

func (w *watch) see(i *instance, s *sight, now time.Time) {
	call, limit := i.call.Load(), w.turn
	if s.hurry {
		limit = min(limit, hurry)
	}
	switch {
	case call%2 == 0: // no call is being executed
		s.call = 0
	case call != s.call:
		s.call, s.since = call, now
	case now.Sub(s.since) >= limit:
		i.stop(fault.New(fault.Timeout, "the guest held its goroutine for longer than "+limit.String()))
	}
}
