package syncx

import "time"

type tally interface {
	add(failed bool, now time.Duration)
	total() (sections, failures int) // counts at the time of the last add
	reset()
}

type ring struct {
	last     []bool // for each outcome, whether it was a failure; once last is full, the oldest one is at next
	next, n  int
	failures int
}

func (r *ring) add(failed bool, _ time.Duration) {
	if r.n == len(r.last) {
		if r.last[r.next] {
			r.failures--
		}
	} else {
		r.n++
	}
	r.last[r.next] = failed
	if failed {
		r.failures++
	}
	r.next = (r.next + 1) % len(r.last)
}

func (r *ring) total() (sections, failures int) { return r.n, r.failures }

func (r *ring) reset() { r.next, r.n, r.failures = 0, 0, 0 }

const slices = 10

// windowed counts the outcomes of a moving window, which it divides into slices: it drops the oldest slice as a whole.
type windowed struct {
	width time.Duration // of a slice
	now   time.Duration // number of the current slice
	cut   [slices]struct{ sections, failures int }
}

func (w *windowed) add(failed bool, now time.Duration) {
	at := now / w.width
	if now < 0 { // the division rounds towards zero
		at--
	}
	for past := max(w.now+1, at-slices+1); past <= at; past++ {
		w.cut[placeOf(past)] = struct{ sections, failures int }{}
	}
	w.now = at
	c := &w.cut[placeOf(at)]
	c.sections++
	if failed {
		c.failures++
	}
}

func placeOf(at time.Duration) time.Duration { return (at%slices + slices) % slices }

func (w *windowed) total() (sections, failures int) {
	for _, c := range w.cut {
		sections += c.sections
		failures += c.failures
	}
	return sections, failures
}

func (w *windowed) reset() { clear(w.cut[:]) }
