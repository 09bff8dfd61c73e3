package wasm

import (
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// watch stops calls of guests that take too long. It has a timer of package time, because the loop can't tick while the guest holds it.
// instance.call tells a tick whether the guest is still in the same call.
type watch struct {
	turn time.Duration

	mu      sync.Mutex
	watched map[*sight]struct{}
	hurried int         // how many of watched are in a hurry
	looked  time.Time   // the time of the last tick
	timer   *time.Timer // nil until the first use
	ticks   bool        // the timer runs
}

// sight is the watch of an instance during one run. After the run it does nothing, so that a late cancel doesn't concern the next run of
// the instance.
type sight struct {
	in    *instance
	over  bool // the run has ended
	hurry bool // the step of the guest is being cancelled

	call  uint64        // the value of instance.call at the last tick; it is an even number if no call was being executed
	since time.Time     // the tick at which call was first seen
	spent time.Duration // while in a hurry: how long calls have taken
}

// hurry is how long the calls of a guest may take in total while its step is being cancelled.
const hurry = 5 * time.Millisecond

const ticksOfTurn = 8

// begin makes the watch of a run of an instance. If held is set, the guest may hold its goroutine until it is urged.
func (w *watch) begin(i *instance, held bool) *sight {
	s := &sight{in: i}
	if !held {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.add(s)
		if !w.ticks {
			w.tick()
		}
	}
	return s
}

// add makes ticks look at s. mu is held.
func (w *watch) add(s *sight) {
	if w.watched == nil {
		w.watched = make(map[*sight]struct{})
	}
	w.watched[s] = struct{}{}
}

// tick sets the timer. mu is held.
func (w *watch) tick() {
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

// urge limits the time of the guest, whose step is being cancelled, to hurry. Any goroutine may call it.
func (w *watch) urge(s *sight) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.over || s.hurry {
		return
	}
	s.hurry = true
	w.hurried++
	w.add(s)
	w.tick()
}

// end ends the watch of a run. The instance isn't stopped on behalf of s afterwards.
func (w *watch) end(s *sight) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.over = true
	if s.hurry {
		w.hurried--
	}
	delete(w.watched, s)
}

// look stops the calls that have taken too long. It is called at each tick.
func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	for s := range w.watched {
		s.see(now, now.Sub(w.looked), w.turn)
	}
	w.looked = now
	if w.ticks = len(w.watched) > 0; w.ticks {
		w.tick()
	}
}

// see stops the call of the instance if it has taken too long. elapsed is the time since the last tick.
func (s *sight) see(now time.Time, elapsed, turn time.Duration) {
	call := s.in.call.Load()
	again := call == s.call
	s.call = call
	if call%2 == 0 { // no call is being executed
		return
	}
	if !again {
		s.since = now
	}
	took, limit := now.Sub(s.since), turn
	if s.hurry { // a tick counts for half of hurry at most, so that a late one doesn't stop the guest by itself
		s.spent += min(elapsed, hurry/2)
		took, limit = s.spent, hurry
	}
	if took >= limit {
		s.in.stop(call, fault.New(fault.Timeout, "the guest held its goroutine for longer than "+limit.String()))
	}
}
