package frame

// Branches are left side by side (C10). Each begins to be left in the order of the branches, and gets as far as it can at once.
// If it then has to wait, for a goroutine, a shield or the steps of a Finalizer, the fiber that holds the fork goes on with the
// next branch:
//
//	leaveFork ──leaveBranch──▶ branch ──unwind──▶ ended  ──depart──▶ leaveFork
//	                                  └──▶ waits ──queueHolder──▶ leaveFork
//
// A branch is outgoing from when it has begun to be left until it has ended. The step that
// holds the fork is left when no branch is outgoing any more. A larger cancel
// freezes all branches anew, and leaveFork begins again with the first: see freeze.

// leaveFork leaves the branches of the current step of f. It reports false until all of them have ended.
func (r *Run) leaveFork(s *Fiber, f *Frame) bool {
	k := f.fork
	b := k.first()
	if b != nil && k.shields() && r.awaitShielded(s, f) {
		return false
	}
	k.bequeath(s.trail)
	k.noMore()
	if b != nil {
		if r.leaveBranch(b, s.err) {
			b.jump = s.jump
			if k.Shields {
				k.endContext(s.err)
			}
		}
		return false
	}
	if k.outgoing > 0 {
		return false
	}
	if k.armed {
		k.armed = false
		f.resources.disarm()
	}
	if f.bits&final == 0 { // otherwise its op takes the results first
		f.Join(k)
	}
	f.fork = nil
	return true
}

// leaveNext begins to leave the next branch of k, a race that is decided. When all have ended the
// holder goes on.
func (r *Run) leaveNext(k *Fork) {
	switch b := k.first(); {
	case b != nil:
		r.leaveBranch(b, k.whyLost())
	case k.outgoing == 0:
		k.holder.wake()
		r.next = k.holder
	}
}

func (k *Fork) first() *Fiber {
	for ; int(k.next) < k.count(); k.next++ {
		if s := &k.Branch(int(k.next)).fiber; s.mode != ended && !s.outgoing {
			return s
		}
	}
	return nil
}

// leaveBranch begins to leave b, a branch. It reports whether b is cancelled only now: it reports false if b was being
// cancelled with all its levels already, or has won and has no level to leave.
func (r *Run) leaveBranch(b *Fiber, err error) (superseded bool) {
	if b.mode != dropping || b.stop != nil {
		r.supersede(b, nil, err, false)
		superseded = true
	}
	b.frozen, b.outgoing = false, true // its turn has come
	b.fork.outgoing++
	r.next = b
	return superseded
}

// comesBack records that s isn't being left any more, because it has ended or is frozen anew.
func (s *Fiber) comesBack() {
	if s.outgoing {
		s.outgoing, s.yielded = false, false
		s.fork.outgoing--
	}
}

// queueHolder is called when the unwinding of s has to wait. If s is a branch that is being left, queueHolder as a rule queues
// the fiber that holds the fork. That fiber leaves the next branch when its turn comes, see ready.holdsBack.
func (r *Run) queueHolder(s *Fiber) {
	if r.next != nil || !s.outgoing || s.yielded {
		return
	}
	p := s.fork.holder
	if p.frozen || p.mode == running && !s.fork.decided {
		return
	}
	if s.yielded = true; p.in == inNone {
		p.leavesNext, p.heldBack = true, 0
		r.ready.push(p)
	}
}

// goOnLeaving makes s, which queueHolder has queued, leave its next branch.
func (r *Run) goOnLeaving(s *Fiber) {
	s.leavesNext = false
	if s.mode == running {
		r.leaveNext(s.top.fork)
		return
	}
	r.unwind(s)
}

// bequeath passes the error of s, a branch of a shielded fork that is being left, to the fiber
// p that holds the fork.
func (s *Fiber) bequeath(p *Fiber, err error) {
	p.trail.defects = append(p.trail.defects, s.trail.defects...)
	if s.fork.final || s.fork.Releases { // the error was met while the step was left
		p.trail.defect(err)
	} else {
		p.trail.overtaken(err)
	}
}

// freeze freezes the fibers that descend from s: each leaves the ready queue, its wait can no longer be completed, and its
// goroutine is told to stop. The hooks run later, in the order in which the fibers are dropped (C1). A branch that was already
// being left will begin to be left anew. A shielded fork isn't frozen: it is told that its step is to be left (K1).
func (r *Run) freeze(s *Fiber, cause error) {
	if s.top == nil || s.top.fork == nil {
		return
	}
	if k := s.top.fork; k.shields() {
		k.tell(cause)
		return
	}
	s.top.fork.rewind()
	for t := s; ; {
		k := t.top.fork
		if k != nil && int(k.walk) < k.count() {
			b := &k.Branch(int(k.walk)).fiber
			k.walk++
			if b.mode == ended || b.frozen {
				continue
			}
			b.frozen = true
			b.comesBack()
			b.unqueue()
			if b.top == nil {
				continue // it has no level to leave
			}
			if b.top.wait != nil {
				b.top.wait.seal(cause)
			}
			switch in := b.top.fork; {
			case in == nil:
			case in.shields():
				in.tell(cause)
			default:
				in.rewind()
				t = b
			}
			continue
		}
		if t == s {
			return
		}
		t = t.parent()
	}
}

// rewind prepares k for freeze, and for leaveFork, which begins again with the first branch.
func (k *Fork) rewind() { k.walk, k.next = 0, 0 }
