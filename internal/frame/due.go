package frame

// due holds what a run has put off.
type due struct {
	lapsed   []*resources   // timers that have fired, and evictions, oldest first; nil in place of those that were handled or cancelled
	next     int            // index in lapsed of the first to look at
	branches ready          // branches that have unwound, or have succeeded in a race, and whose end isn't handled yet
	request  *cancelRequest // the run's cancel; nil if that isn't put off

	// heir is the branch whose end resolve has handled last or, if that end has let another fiber go on, this fiber. If the heir
	// ends, its end is handled at once, because the branches that are still in branches have ended later.
	heir *Fiber

	// evicted is a list of leases, linked by Lease.next: those whose evictions the run hasn't received, latest first. Run.mu
	// guards it.
	evicted *Lease

	calls []func() // functions given to Later, oldest first
}

func (r *Run) putOff() *due {
	if r.due == nil {
		r.due = new(due)
	}
	return r.due
}

func (d *due) add(g *resources) {
	d.lapsed = append(d.lapsed, g)
	g.lapsed = int32(len(d.lapsed))
}

func (d *due) forget(g *resources) {
	d.lapsed[g.lapsed-1] = nil
	g.lapsed = 0
}

// timer returns the first timer in lapsed that wasn't handled or cancelled; nil if there is none.
func (d *due) timer() *resources {
	for ; d.next < len(d.lapsed); d.next++ {
		if g := d.lapsed[d.next]; g != nil {
			return g
		}
	}
	d.lapsed, d.next = d.lapsed[:0], 0
	return nil
}

func (d *due) any() bool { return d.request != nil || d.branches.head != nil || d.timer() != nil }

func (d *due) clear() {
	d.request, d.heir = nil, nil
	d.calls = nil
	if cap(d.lapsed) > retained {
		d.lapsed = nil
	}
}

func (r *Run) putsOff() bool { return r.due != nil && r.due.any() }

// inherit replaces s, if s is the heir: s has ended, and the fiber to goes on because of that.
func (r *Run) inherit(s, to *Fiber) {
	if r.due != nil && r.due.heir == s {
		r.due.heir = to
	}
}

// mustWait reports whether the end of s, a branch, has to be put off because of a fiber in transit, the end of another
// branch, or a completion that may turn out to be a success.
func (r *Run) mustWait(s *Fiber) bool {
	if r.due != nil && r.due.heir == s {
		return false
	}
	return r.posted() || r.anyOn(leaving) || r.anyOn(undoing) || r.due != nil && r.due.branches.head != nil
}

// settlePutOff handles one thing that is put off, and reports false. It reports true if nothing is put off, or if a fiber in
// transit has to come first.
func (r *Run) settlePutOff() bool {
	d := r.due
	switch {
	case len(d.calls) > 0:
		fn := d.calls[0]
		d.calls[0], d.calls = nil, d.calls[1:]
		r.aside(fn) // last: if fn ends the goroutine, the next turn calls the other functions
		return false
	case !d.any():
		d.heir = nil
		r.unhold()
		return true
	case r.anyOn(leaving) || d.request == nil && r.anyOn(undoing):
		r.hold()
		return true
	default:
		r.resolve(d)
		return false
	}
}

// Later puts off fn, code that isn't the step's and may end the goroutine, until the machine is between two moves.
func (r *Run) Later(fn func()) {
	d := r.putOff()
	d.calls = append(d.calls, fn)
}

// aside calls fn, code that isn't the step's. fn may end the goroutine, so the machine must have made its move before.
func (r *Run) aside(fn func()) {
	doing := r.doing
	r.doing, r.ahead = watching, true
	defer func() { r.doing = doing }()
	fn()
	r.ahead = false // a Goexit skips this
}

// resolve handles one thing that was put off: the cancel of the run, else the first end of a branch, else the first timer or
// eviction. No fiber is in transit for which it has to wait. Ends of branches go before timers: no step has begun since the
// timer fired, so the steps of the branch had ended before (O7), or were completed from outside since.
func (r *Run) resolve(d *due) {
	r.setAside() // resolving something may set r.next
	d.heir = nil
	if h := d.request; h != nil {
		r.deliverCancel(h)
		return
	}
	if s := d.branches.head; s != nil {
		s.unqueue()
		d.heir = s
		r.depart(s)
		return
	}
	g := d.timer()
	limit, alarm := g.limit, g.alarm
	d.forget(g)
	switch eviction := g.stopTimer(); {
	case alarm:
		r.beginNext(g.frame)
	case eviction != nil:
		r.evict(g.frame, eviction)
	default:
		r.expire(g.frame, limit)
	}
}
