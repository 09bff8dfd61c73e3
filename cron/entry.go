package cron

import (
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// entry is a job in a table. In a run of the table it has a branch and a timer. The branch waits until a round is due, executes the
// round, and begins anew. The timer is set to the next time, also while a round is at work.
type entry struct {
	table *Table
	tick  func() // the callback of the timer
	lane  step.Step[step.Unit, step.Unit]

	// The loop of the run owns these.
	loop    tool.Tool // nil unless the branch lives
	timer   tool.Handle
	armed   bool      // timer is pending
	job     *edition  // the edition from which the times and the next round come
	latest  *edition  // the edition of the latest round
	overlap Overlap   // of the round at work; of job if no round is at work
	last    time.Time // the latest time that was dealt with; the next round is due after it
	at      time.Time // the next time; zero for none
	due     time.Time // when the round for at is due, with its jitter
	late    bool      // with Later: times have come, and no round has begun for them
	held    bool      // with Later and Each: times have come in a pause, and resume hasn't dealt with them
	onTime  bool      // look has found that a round is due
	err     error     // the error of the latest round; nil if it hasn't failed
	left    bool      // with Replace: the latest round was left before its end
	broken  error     // why the next time can't be found; this error fails the run

	// Table.mu guards these. Goroutines other than the loop's change only Paused and Spec of state, so the loop reads the rest of
	// state without mu.
	state  State
	given  *edition             // the edition of the latest New or Set
	gone   bool                 // Set has removed the job
	begun  bool                 // the run under way has a branch for the entry
	ended  bool                 // the branch begins no round any more
	asked  bool                 // RunNow was called, and its round hasn't begun
	wake   step.Done[step.Unit] // completes the wait of the branch, if it waits
	drops  bool                 // set by Resume: the times of the pause have no round
	roused bool                 // rouse has completed a wait since the latest round began
}

func newEntry(t *Table, s State) *entry {
	s.Next, s.Running = time.Time{}, time.Time{}
	e := &entry{table: t, state: s}
	e.tick = func() {
		e.armed = false
		e.guard(e.turn)
	}
	return e
}

// start begins the branch of the entry.
func (e *entry) start(loop tool.Tool) error {
	e.table.mu.Lock()
	e.job = e.given
	ends := e.table.stopped || e.gone
	e.table.mu.Unlock()
	e.loop = loop
	e.overlap, e.last, e.at, e.late, e.held, e.broken = e.job.Overlap, e.now(), time.Time{}, false, false, nil
	if ends {
		return nil
	}
	return e.schedule(e.last)
}

func (e *entry) now() time.Time {
	h := e.loop.Host()
	return h.Time(h.Now())
}

// guard calls f on the loop, outside of the run. An error or a panic fails the run once no round of the job is at work.
func (e *entry) guard(f func() error) {
	var err error
	usercode.Protect(func() { err = f() }, func(broken error) {
		if broken != nil {
			err = fault.Wrap(fault.InternalError, "cron: Next of job "+e.state.Name, broken)
		}
		if err != nil {
			e.fail(err)
		}
	})
}

func (e *entry) fail(err error) {
	e.broken = err
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	e.nudge()
}

// turn is called when the timer has fired. It wakes the branch, or calls pass if no round can begin.
func (e *entry) turn() error {
	now := e.now()
	e.table.mu.Lock()
	off, paused := e.table.stopped || e.gone, e.state.Paused
	e.table.mu.Unlock()
	switch {
	case off:
		e.at = time.Time{} // if the job is added again it has new times
		return nil
	case !e.hasCome(now): // the clock was set back
		return e.await(now)
	case paused || e.atWork() && e.overlap != Replace:
		return e.pass(now, !paused)
	}
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	e.rouse()
	return nil
}

// pass deals with a time that has come while no round can begin. missed says that the reason is a round at work, and not a pause.
func (e *entry) pass(now time.Time, missed bool) error {
	e.held = !missed && !e.overlap.leavesOut()
	switch e.overlap {
	case Each:
		return nil // due stays as it is
	case Later:
		missed = missed && e.late // the first of the times has a round
		e.late = true
		e.take(now)
	default:
		e.last = e.at
	}
	if missed {
		e.skip()
	}
	return e.schedule(now)
}

// take marks the time that is due as dealt with.
func (e *entry) take(now time.Time) {
	e.last = e.at
	if e.overlap == Later && now.After(e.at) {
		e.last = now // one round stands for all times that have passed
	}
}

func (e *entry) skip() {
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	e.state.Skipped++
}

// adopt makes e follow the times of the job that Set was given.
func (e *entry) adopt() {
	e.table.mu.Lock()
	given, off := e.given, e.ended
	e.table.mu.Unlock()
	if e.loop == nil || off || given == e.job { // the branch hasn't begun, or has ended
		return
	}
	jitter := e.job.Jitter
	e.job, e.broken = given, nil
	if !e.atWork() {
		e.overlap = given.Overlap
	}
	now := e.now()
	if !e.at.IsZero() && !e.at.After(now) {
		latest := e.at.Add(given.Jitter)
		e.at = now // its round stands for all times until now
		if e.due.After(now) && e.due.After(latest) {
			e.guard(func() error { return e.delay(latest, now) })
		}
		return
	}
	e.guard(func() error {
		at, err := e.renewed(now)
		if err == nil && (at.IsZero() || !at.Equal(e.at) || jitter != given.Jitter) {
			err = e.set(at, now)
		}
		return err
	})
}

// renewed returns the time of the next round by a new calendar. Times of that calendar before now aren't due. A calendar
// that adds to the time it is given, such as "@every", goes on from the latest round: if it began anew with each Set,
// frequent calls of Set would put its rounds off for ever.
func (e *entry) renewed(now time.Time) (time.Time, error) {
	if last := e.last.Round(0); now.After(last) {
		if at := e.job.next(last); at.After(now) {
			return at, nil
		}
		e.last = now
	}
	return e.following(now)
}

// look begins a round if one is due or asked for. It reports whether it has, and whether the branch ends.
func (e *entry) look(now time.Time) (begins, ends bool, err error) {
	t := e.table
	t.mu.Lock()
	for e.given != e.job { // the wait has ended before the loop came to the callback that Set has queued
		t.mu.Unlock()
		e.adopt()
		t.mu.Lock()
	}
	if e.broken != nil && !e.gone {
		t.mu.Unlock()
		return false, false, e.broken
	}
	if t.stopped || e.gone {
		e.ends()
		t.mu.Unlock()
		return false, true, nil
	}
	paused := e.state.Paused
	if e.held && !paused {
		drops := e.drops
		t.mu.Unlock()
		return false, false, e.resume(now, drops)
	}
	e.onTime = e.isDue(now) && !paused
	if begins = e.asked || e.onTime; begins {
		// A round that begins at its time is also the one that RunNow has asked for, except with Each if the time has come during
		// another round.
		e.asked = e.asked && e.onTime && e.job.Overlap == Each && e.due.Before(e.state.Ended)
		e.state.Running, e.roused = now, false
	}
	t.mu.Unlock()
	if begins {
		e.err, e.left, e.latest, e.overlap = nil, false, e.job, e.job.Overlap
	}
	switch come := e.hasCome(now); {
	case e.onTime:
		if e.late && come {
			e.skip()
		}
		e.late = false
		if come {
			e.take(now)
			return begins, false, e.schedule(now)
		}
	case come && paused:
		return begins, false, e.pass(now, false)
	}
	return begins, false, nil
}

// resume deals with the times that have come in a pause: if drops is set they have no round.
func (e *entry) resume(now time.Time, drops bool) error {
	e.held = false
	if !drops {
		return nil
	}
	e.late = false
	if !e.hasCome(now) {
		return nil
	}
	e.last = e.at
	return e.schedule(now)
}

func (e *entry) atWork() bool { return !e.state.Running.IsZero() }

// leavesOut reports whether times that come while no round can begin are left out.
func (o Overlap) leavesOut() bool { return o == Skip || o == Replace }

// hasCome reports whether there is a next time, and due has come.
func (e *entry) hasCome(now time.Time) bool { return !e.at.IsZero() && !now.Before(e.due) }

// isDue reports whether a round is due.
func (e *entry) isDue(now time.Time) bool { return e.late || e.hasCome(now) }

// after returns the time after which the next round is due. If the clock was set back, and the calendar has a time between now and
// e.last, after returns now, so that times are due again: with e.last the job would stand still until the clock is where it was.
func (e *entry) after(now time.Time) time.Time {
	last := e.last.Round(0) // without the monotonic clock, which is never set back
	switch {
	case now.After(last):
		if e.overlap.leavesOut() {
			return now
		}
	case last.After(now):
		if again := e.job.next(now); !again.IsZero() && again.Before(last) {
			return now
		}
	}
	return last
}

// following returns the time of the next round.
func (e *entry) following(now time.Time) (time.Time, error) {
	after := e.after(now)
	at := e.job.next(after)
	if !at.IsZero() && !at.After(after) {
		return at, invalid(e.state.Name + ": Next of " + after.String() + " returned " + at.String() + ", which isn't later")
	}
	return at, nil
}

// schedule sets the time of the next round.
func (e *entry) schedule(now time.Time) error {
	at, err := e.following(now)
	if err != nil {
		return err
	}
	return e.set(at, now)
}

func (e *entry) set(at, now time.Time) error {
	e.at = at
	if !at.IsZero() && e.job.Jitter > 0 {
		at = at.Add(time.Duration(e.loop.Host().Rand() % uint64(e.job.Jitter)))
	}
	return e.delay(at, now)
}

// delay sets when the next round is due.
func (e *entry) delay(due, now time.Time) error {
	e.due = due
	e.table.mu.Lock()
	e.state.Next = e.due
	e.table.mu.Unlock()
	return e.arm(now)
}

// arm starts the timer.
func (e *entry) arm(now time.Time) (err error) {
	e.disarm()
	if !e.at.IsZero() {
		e.timer, err = e.loop.Deferred(max(0, e.due.Sub(now)), e.tick)
		e.armed = err == nil
	}
	return err
}

// await arms the timer if the next time is still to come and no timer is pending. If the clock was set back, await finds the next
// time anew.
func (e *entry) await(now time.Time) error {
	switch {
	case e.last.Round(0).After(now):
		return e.schedule(now)
	case !e.armed && now.Before(e.due): // the timer has fired before due, by this clock
		return e.arm(now)
	}
	return nil
}

func (e *entry) disarm() {
	if e.armed {
		e.loop.Cancel(e.timer)
		e.armed = false
	}
}

// nudge completes the wait of the branch, if it waits between two rounds; Table.mu is held.
func (e *entry) nudge() {
	if !e.atWork() {
		e.rouse()
	}
}

// rouse completes the wait of the branch, also that of a round which may be replaced; Table.mu is held.
func (e *entry) rouse() {
	if e.wake.Succeed(step.Unit{}) {
		e.roused = true
	}
}

// wasRoused reports whether rouse has completed a wait since the latest round began, so that another round takes its place.
func (e *entry) wasRoused() bool {
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	return e.roused
}

// ends marks that the branch begins no round any more; Table.mu is held.
func (e *entry) ends() {
	e.ended, e.state.Next = true, time.Time{}
	e.table.leaving = slices.DeleteFunc(e.table.leaving, func(l *entry) bool { return l == e })
	e.table.rouse()
}
