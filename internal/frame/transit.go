package frame

// A fiber is in transit from the end of a step, by success, error or jump, to what follows from that: its next step, the answer
// of a handler, its own end. A run may yield meanwhile (O4), but nothing comes between (O7): timers that fire, the end of
// branches, evictions, and the cancel of the run are put off until no fiber is in transit any more. No fiber begins a step
// until then, so that this happens soon. A fiber whose unwinding waits for a goroutine (C7) can't go on, so it isn't in
// transit: a larger limit may overtake it.
//
// The cancel of the run waits for successes only: it overtakes errors (C1).

// course tells what a fiber that can go on will do next.
type course uint8

const (
	onward  course = iota // begin a step
	leaving               // leave the step, or the level, that has ended with success
	undoing               // leave a step or level because of an error, a jump or a cancel
	arrived               // begin a step; it was set aside and goes before those on course onward: see Run.setAside
	courses
)

// courseNow returns the course of s now. It never returns arrived.
func (s *Fiber) courseNow() course {
	switch {
	case s.mode != running || s.unwinding != nil && s.jump != nil:
		if s.leavesNext {
			return onward // what waits is not in transit
		}
		return undoing
	case s.resume || int(s.top.pc) >= len(s.top.level.Ops):
		return leaving
	default:
		return onward
	}
}

// anyOn reports whether a fiber that can go on is on course c.
func (r *Run) anyOn(c course) bool {
	return r.ready.inTransit(c) != nil || r.next != nil && r.next.courseNow() == c
}

// nextInTransit removes and returns the fiber in transit that goes next. There must be one. If errors is true, it may be r.next
// even if r.next is on course undoing.
func (r *Run) nextInTransit(errors bool) *Fiber {
	if s := r.next; s != nil {
		if c := s.courseNow(); c == leaving || c == undoing && errors {
			r.next = nil
			s.unqueue()
			return s
		}
		r.setAside()
	}
	s := r.ready.inTransit(leaving)
	if s == nil {
		s = r.ready.inTransit(undoing)
	}
	s.unqueue()
	return s
}

// A run keeps order if the order in which steps succeed decides something, such as which branch wins a race (P6), which effect
// is undone first (K5) or which result comes first (P8), or if a shield in it is to be left: see Fork.tell. Several fibers may
// be in transit at once, because their waits were completed before the run took its turn. In a run that keeps order each of
// them first goes only to the end of its step, until all have arrived there. So a step that has succeeded counts before any
// step begins.

// KeepOrder makes fibers in transit go before all others from now on, each to where its step
// ends.
func (f *Frame) KeepOrder() { f.Run().ordered = true }

// takeInOrder removes and returns the fiber in transit that goes next; nil if there is none. That fiber begins
// no step while others are in transit or set aside.
func (r *Run) takeInOrder() (s *Fiber) {
	if r.anyOn(leaving) || r.anyOn(undoing) {
		s = r.nextInTransit(true)
	}
	if s != nil && r.ready.head != nil && (r.anyOn(leaving) || r.anyOn(undoing) || r.anyOn(arrived)) {
		r.hold()
	} else {
		r.unhold()
	}
	return s
}

// completes lets s go on, because its branches have ended. In a run that keeps order, s goes next (O7).
func (r *Run) completes(s *Fiber) {
	if r.ordered {
		r.next = s
	} else {
		r.queue(s)
	}
}

// hold keeps fibers from beginning a step, until unhold or deliver.
func (r *Run) hold() {
	_ = r.alert.CompareAndSwap(idle, holding) || r.alert.CompareAndSwap(first, holding) // neither succeeds if something was posted
}

func (r *Run) unhold() {
	if r.alert.Load() == holding && !r.closing {
		r.alert.CompareAndSwap(holding, idle) // fails if something was posted
	}
}

// setAside puts r.next, if there is one, back into the queue. If that fiber is about to begin a step, it goes before the fibers
// that aren't set aside, and after those that were set aside before. A fiber that is set aside once more goes before these too.
// So a lane that has taken something begins its steps before other lanes take more (P1).
func (r *Run) setAside() {
	s := r.next
	if s == nil {
		return
	}
	r.next = nil
	again := s.course == arrived // it has been set aside before
	s.unqueue()
	if s.courseNow() != onward {
		r.ready.unshift(s)
		return
	}
	r.ready.enter(s)
	s.course = arrived
	r.ready.fibers.unshift(inQueue, s)
	if l := r.ready.moving(arrived); again {
		l.unshift(onCourse, s)
	} else {
		l.push(onCourse, s)
	}
}

// arrives reports whether s, which executes, has just come to the end of its step while others are in transit or set aside.
// Then s goes before the fibers that begin a step (O4).
func (r *Run) arrives(s *Fiber) bool {
	return (s.course == leaving || s.course == undoing) && s.courseNow() == onward && (r.ordered || r.putsOff()) &&
		(r.anyOn(leaving) || r.anyOn(undoing) || r.anyOn(arrived))
}

// takeSetAside removes and returns the first of the fibers that were set aside. It returns nil if r.next is in transit, because
// then r.next goes first.
func (r *Run) takeSetAside() *Fiber {
	if r.next != nil && r.next.courseNow() != onward {
		return nil
	}
	r.setAside()
	s := r.ready.inTransit(arrived)
	s.unqueue()
	return s
}

// Take is Call for a lane that has taken something.
func (f *Frame) Take(in *Activation) Verdict {
	if s := f.fiber; s.run.ready.transit != nil {
		s.taken()
	}
	return f.Call(in)
}

// taken lets the fibers that were set aside go before s, a lane that has taken something.
func (s *Fiber) taken() {
	if r := s.run; r.ready.inTransit(arrived) != nil {
		s.course = onward
		r.hold()
	}
}
