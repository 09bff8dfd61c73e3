package frame

// A strand is in transit from the end of a step, by success, error or signal, to
// what follows from that: its next step, the answer of a handler, its own end. A
// run may yield meanwhile (O4), but nothing comes between (O7): timers that fire,
// branches that an error has left, and the cancel of the run are put off until no
// strand is in transit any more. So that this comes soon, no strand begins a step
// until then. A strand whose unwinding waits for a goroutine (C7) can't go on, so
// it isn't in transit: a larger limit may overtake it.
//
// The cancel of the run waits for successes only: it overtakes errors (C1).

// course is what a strand that can go on is about to do.
type course uint8

const (
	onward  course = iota // begin a step
	leaving               // leave the step, or the level, that has ended with success
	undoing               // leave it because of an error, a signal or a cancel
	courses
)

// on is the course of s now.
func (s *Strand) on() course {
	switch {
	case s.mode != running || s.top.signal != nil:
		return undoing
	case s.resume || int(s.top.pc) >= len(s.top.level.Ops):
		return leaving
	default:
		return onward
	}
}

// due is what a run has put off.
type due struct {
	lapsed []*gear // timers that have fired, oldest first; nil where one was taken back
	next   int     // of lapsed, the first to look at
	left   ready   // branches that an error has left entirely
	halt   *halt   // the run's cancel; nil if that isn't put off
}

// putOff returns r.due and makes it on first use.
func (r *Run) putOff() *due {
	if r.due == nil {
		r.due = new(due)
	}
	return r.due
}

// add puts off the timer of g.
func (d *due) add(g *gear) {
	d.lapsed = append(d.lapsed, g)
	g.lapsed = len(d.lapsed)
}

// forget takes the timer of g back.
func (d *due) forget(g *gear) {
	d.lapsed[g.lapsed-1] = nil
	g.lapsed = 0
}

// timer returns whose timer has fired first, nil if there is none.
func (d *due) timer() *gear {
	for ; d.next < len(d.lapsed); d.next++ {
		if g := d.lapsed[d.next]; g != nil {
			return g
		}
	}
	d.lapsed, d.next = d.lapsed[:0], 0
	return nil
}

// any reports whether something is put off.
func (d *due) any() bool { return d.halt != nil || d.left.head != nil || d.timer() != nil }

// nextInTransit removes the strand in transit that goes next; errors says that it
// may be one that an error or a signal leaves.
func (r *Run) nextInTransit(errors bool) *Strand {
	if s := r.front; s != nil {
		r.front = nil
		s.unqueue()
		if c := s.on(); c == leaving || c == undoing && errors {
			return s
		}
		r.ready.unshift(s)
	}
	s := r.ready.moving[leaving].head
	if s == nil {
		s = r.ready.moving[undoing].head
	}
	s.unqueue()
	return s
}

// clear makes d ready for the next run.
func (d *due) clear() {
	d.halt = nil
	if cap(d.lapsed) > retained {
		d.lapsed = nil
	}
}

// putsOff reports whether something is put off.
func (r *Run) putsOff() bool { return r.due != nil && r.due.any() }

// some reports whether a strand that can go on is on course c.
func (r *Run) some(c course) bool {
	return r.ready.moving[c].head != nil || r.front != nil && r.front.on() == c
}

// mustWait reports whether the error of a branch has to be put off. What was
// posted before it may turn out to be a success.
func (r *Run) mustWait() bool {
	return r.signal.Load() == dirty || r.some(leaving) || r.some(undoing) || r.due != nil && r.due.left.head != nil
}

// hold sees to what is put off. It reports false when it has acted.
func (r *Run) hold() bool {
	d := r.due
	switch {
	case !d.any():
		if r.signal.Load() == holding {
			r.signal.CompareAndSwap(holding, turning) // or a post has made it dirty
		}
		return true
	case r.some(leaving) || d.halt == nil && r.some(undoing):
		if !r.signal.CompareAndSwap(turning, holding) && r.tool == nil {
			r.signal.Store(holding) // there is nobody to agree with
		}
		return true
	default:
		r.resolve(d)
		return false
	}
}

// resolve acts on one thing that was put off: nothing is in transit.
func (r *Run) resolve(d *due) {
	if s := r.front; s != nil { // what is resolved may have another one go next
		r.front = nil
		r.ready.unshift(s)
	}
	if d.halt != nil {
		h := d.halt
		d.halt = nil
		r.quits(h)
		return
	}
	if g := d.timer(); g != nil {
		limit, alarm := g.limit, g.alarm
		d.forget(g)
		g.limit, g.alarm = 0, false
		if alarm {
			r.another(g.frame)
			return
		}
		r.expire(g.frame, limit)
		return
	}
	s := d.left.head
	s.unqueue()
	r.depart(s)
}

// halted cancels the run, or puts that off until its successes have been
// followed.
func (r *Run) halted(h *halt) {
	if r.some(leaving) {
		r.putOff().halt = h
		return
	}
	r.quits(h)
}

// quits cancels the run.
func (r *Run) quits(h *halt) {
	r.quit = true
	r.supersede(&r.main, nil, h.cause)
	r.doom(&r.main, h.cause)
	r.tellQuit()
}
