package frame

// due holds what a run has put off.
type due struct {
	lapsed   []*resources   // timers that have fired, and evictions, oldest first; nil in place of those that were handled or cancelled
	next     int            // index in lapsed of the first to look at
	branches ready          // branches that have unwound, or have succeeded in a race, and whose end isn't handled yet
	request  *cancelRequest // the run's cancel; nil if that isn't put off

	// heir is the branch that was taken out of branches last or, once its end has let another fiber go on, that fiber.
	// If the heir ends too, its end is handled at once, because those that are still in branches have ended later.
	heir *Fiber

	// evicted is the lease of the section that was evicted last, and leads to those that were evicted before. It is nil
	// if all were looked at. Run.mu guards it.
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

// timer returns the first of lapsed that wasn't handled or cancelled, nil if there is none.
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

// inherit passes the place of the heir from s, which has ended, to the fiber that goes on because of that.
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

// settlePutOff handles what is put off. It reports false when it has acted.
func (r *Run) settlePutOff() bool {
	d := r.due
	switch {
	case len(d.calls) > 0:
		fn := d.calls[0]
		d.calls[0], d.calls = nil, d.calls[1:]
		r.aside(fn) // last: if it ends the goroutine, the next turn calls the others
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
	r.ahead = false // not after Goexit
}

// resolve handles one thing that was put off. It is called when no fiber is in transit for which that
// has to wait. Ends of branches go before timers: no step has begun since the timer fired, so
// the steps of the branch had ended before (O7), or were completed from outside since.
func (r *Run) resolve(d *due) {
	r.setAside() // resolving something may set r.next
	d.heir = nil
	if d.request != nil {
		h := d.request
		d.request = nil
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
