package frame

// completed ends a fiber whose last step has succeeded.
func (r *Run) completed(s *Fiber) {
	k := s.fork
	if k == nil {
		s.end()
		r.finish(nil)
		return
	}
	if k.races() {
		if r.posted() { // work delivers the posts first: a cancel among them waits for this success
			r.next = s
			return
		}
		s.win()
		r.departed(s)
		return
	}
	s.end()
	k.tellFollower(int(s.index))
	if k.live--; k.live > 0 {
		return
	}
	r.inherit(s, k.holder)
	switch o := k.holder; {
	case o.frozen: // k is a shield; o goes on when its turn to be left comes
	case o.mode == running:
		o.wake()
		r.completes(o)
	case k.Shields: // the unwinding of o waits for k
		r.completes(o)
	}
}

// departed ends a fiber whose levels have all been left. It may put off the end of a branch, see mustWait (O7).
func (r *Run) departed(s *Fiber) {
	if (s.mode == raising || s.won) && s != &r.main && !s.fork.decided && s.fork.holder.mode == running && r.mustWait(s) {
		r.putOff().branches.push(s)
		return
	}
	r.depart(s)
}

func (r *Run) depart(s *Fiber) {
	raised, won, err, target, jump := s.mode == raising, s.won, s.err, s.target, s.jump
	kept := err // what a race or a shield keeps: err with its secondary errors
	if raised && target == nil && s != &r.main && (s.fork.races() || s.fork.Shields) {
		r.cur, r.next = s, s // joined calls user code, which may end the goroutine: then s comes here again
		kept = s.trail.joined(err)
		r.next = nil
	}
	s.target = nil
	s.end()
	if k := s.Race(); k != nil {
		defer k.fewer(1) // last: another branch may begin in its place
	}
	if s == &r.main {
		if raised {
			r.finish(r.report(s.trail, err))
		} else {
			r.finish(r.cancelled(s.trail, reporting))
		}
		return
	}
	p := s.fork.holder
	s.err = nil
	if p.mode == running && s.fork.races() && target == nil && r.decide(s.fork, s, won, kept) {
		if s.fork.decided {
			r.inherit(s, p)
		}
		return
	}
	switch {
	case raised && p.mode == running:
		r.inherit(s, p)
		// The fork doesn't survive this error, so its step fails with it (P3, P6). A break or a continue leaves the step in the same way (P5).
		p.unwinds()
		p.trail, s.trail = s.trail, p.trail
		p.trail.branch(int(s.index))
		p.raise(err)
		p.target, p.jump = target, jump
		r.freeze(p, err)
	case raised && target == nil && s.fork.Shields:
		s.bequeath(p, kept)
	case s.trail != nil:
		p.trail.take(s.trail)
	}
	if s.trail != nil {
		s.trail.shrink() // drops the errors that p has now, and marks that the swap has brought if they take much memory
	}
	if p.mode != running && !p.graced.known {
		p.graced = s.graced // the Gracer around a fork is the one around its branches
	}
	if !p.frozen { // otherwise its own turn to be left comes
		r.next = p
	}
}
