package frame

import "time"

// budget measures how much a run may do in one turn before other callbacks of the loop run (O4): a number of steps, or
// a time that begins after the first few steps. As a rule the clock is read after 2, 3, 5, 9 … steps. The end of a
// level counts as a step, and may follow the last step that was granted.
type budget struct {
	granted int32         // steps granted in this turn
	chunk   int32         // size of the last chunk, of which grant may have granted fewer steps
	started time.Duration // when the clock was first read in this turn
	timed   bool          // the clock has been read
}

// aloneSteps is how many steps a run that is alone may take in a turn. Between turns its driver checks whether the context of
// the run has ended.
const aloneSteps = 1000

// some is how many steps a run that is alone gets at most before it first checks whether limits have to be armed.
const some = 64

// few is how many steps a run that isn't alone gets at most before it first reads the clock.
const few = 2

// unbound bounds the steps of a turn if the loop allows more. Twice as many still fit into an int32.
const unbound = 1 << 29

// firstChunk grants the first steps of a turn. It doesn't read the bounds of the loop.
func (r *Run) firstChunk() budget {
	n := int32(few)
	switch {
	case r.narrow:
		n = 1
	case r.alone():
		n = some
	}
	r.roomy = !r.narrow
	if s := r.next; s == nil || s == &r.main {
		r.quota, r.stint = n, stint-n
	} else {
		n = r.grant(n) // the fiber goes on with the rest of its stint
	}
	return budget{granted: n, chunk: n}
}

// alone reports whether r has no loop, or a private one.
func (r *Run) alone() bool { return r.tool == nil || r.spare != nil }

// more grants the run another chunk, and reports false if the share of the run is used up.
func (p *budget) more(r *Run) bool {
	if r.quota+r.stint <= 0 {
		r.endStint()
	}
	steps := int32(aloneSteps)
	if !r.alone() {
		steps = int32(min(r.host.Turn().Steps, unbound))
	}
	p.granted -= r.quota // quota is negative after ends of levels beyond the last granted step: these count too
	if p.granted >= steps {
		return false
	}
	if r.young != nil {
		r.needLoop() // arms the limits: they count from here on, not only from the end of this long turn
	}
	next := 2 * p.chunk
	if !r.alone() {
		host := r.host
		now := host.Now()
		switch {
		case !p.timed:
			p.started, p.timed = now, true
			next = 1 // a long step is noticed before a second one begins
		case now-p.started >= host.Turn().Time:
			return false
		}
	}
	p.chunk = min(next, steps-p.granted)
	r.roomy = true
	p.granted += r.grant(p.chunk)
	r.roomy = r.roomy && p.granted < steps
	return true
}

// yield queues the next turn of a run that can go on.
func (r *Run) yield() {
	if r.chooses() {
		r.stepBack()
	}
	if r.tool != nil { // without a loop the caller of Turn calls it again
		r.enqueueHere()
	}
}

// As a rule a fiber goes on until it waits, has ended, or has taken a stint of steps. After a stint it goes to the end of the
// queue of its run. Unless the loop chooses, these counts alone decide which fiber goes next. When a turn ends depends on the
// clock too, so the end of a turn must not change the order of the fibers (O4): in the next turn the fiber goes on with the
// rest of its stint.
//
// A fiber in transit goes on beyond its stint, until it is about to begin a step.

// stint is how many steps a fiber takes in a row. Ends of levels count as steps, as they do for a turn.
const stint = 100

// grant lets the fiber that executes take n more steps before the run looks at its share of the loop. If fewer are left of the
// stint, the fiber gets these, but at least one. grant returns how many.
func (r *Run) grant(n int32) int32 {
	rest := r.quota + r.stint
	if n >= rest {
		n, r.roomy = max(rest, 1), false // a level that ends after these steps counts for the next stint
	}
	r.quota, r.stint = n, rest-n
	return n
}

// endStint begins another stint of the fiber that executes. If other fibers can go on, it first goes to the end of the queue,
// unless it keeps its place. A fiber in transit then goes on with its old stint instead.
func (r *Run) endStint() {
	if s := r.next; s != nil && r.ready.head != nil {
		switch {
		case s.courseNow() != onward:
			return
		case !s.keepsPlace():
			r.next = nil
			r.ready.push(s)
		}
	}
	r.stint = stint - r.quota
}

// keepsPlace reports whether s, which is about to begin a step, goes before the other fibers that can go on. A fiber that was
// in transit goes before fibers that were posted meanwhile. A lane that has taken something begins its steps before other lanes
// take more (P1).
func (s *Fiber) keepsPlace() bool { return s.hasTaken() || s.run.arrives(s) }

// chooses reports whether the loop chooses which fiber goes next.
func (r *Run) chooses() bool { return r.host != nil && r.host.Turn().Pick != nil }

// stepBack puts the fiber that executes back into the queue, unless it is single or in transit.
func (r *Run) stepBack() {
	switch s := r.next; {
	case s == nil || r.single(s):
	case s.keepsPlace():
		r.setAside()
	case s.courseNow() == onward:
		r.next = nil
		r.ready.push(s)
	}
}
