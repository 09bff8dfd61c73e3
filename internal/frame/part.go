package frame

import "github.com/futoin-go/asyncsteps/fault"

// parting records that the end of r has to wait for the part of l.
func (r *Run) parting(l *Linger) {
	k := r.record
	l.next = k.part
	if l.next != nil {
		l.next.prev = l
	}
	k.part = l
}

// parted records that the end of r needn't wait for the part of l any more.
func (r *Run) parted(l *Linger) {
	k := r.record
	if l.prev == nil {
		k.part = l.next
	} else {
		l.prev.next = l.next
	}
	if l.next != nil {
		l.next.prev = l.prev
	}
	l.prev, l.next = nil, nil
	if k.part == nil && r.doing == remaining && !r.here.Queued() {
		r.enqueueHere()
	}
}

// handOn gives the parts of r to the run around r, if r is a part for which a step still waits: that step goes on when r
// ends (P10). Otherwise handOn does nothing and reports false.
func (r *Run) handOn() bool {
	l := r.lingers()
	if l == nil || l.frame == nil || l.host == nil {
		return false
	}
	for x := r.record.part; x != nil; x = r.record.part {
		r.record.part = x.next
		x.prev, x.host = nil, l.host
		l.host.parting(x)
	}
	return true
}

// whole returns the outermost run of which a step waits for r, directly or by parts in between; r itself if none waits.
func (r *Run) whole() *Run {
	for l := r.lingers(); l != nil && l.frame != nil; l = r.lingers() {
		r = l.frame.Run()
	}
	return r
}

// borrow makes r use the state variables of host.
func (r *Run) borrow(host *Run) {
	k := host.errors()
	if k.vars == nil {
		k.vars = make(vars)
	}
	k.lent = true
	r.errors().vars, r.record.borrows = k.vars, true
}

func (r *Run) unborrow() { r.record.vars = nil }

// watch tells the observer of the host what happens to steps of the part. To the observer both are one run.
func (l *Linger) watch(e Event) {
	if e.Frame != nil && l.host != nil {
		l.host.record.watcher.watch(e)
	}
}

// executing returns the run whose code is executing: r, a run that r is a part of, or a part of any of these that wasn't left
// behind; nil if none of them is executing. To users they are one run.
func (r *Run) executing() *Run {
	if r.inTurn {
		return r
	}
	for l := r.lingers(); l != nil && l.host != nil; l = r.lingers() {
		r = l.host
	}
	return r.executingInside()
}

func (r *Run) executingInside() *Run {
	if r.inTurn {
		return r
	}
	if r.record == nil {
		return nil
	}
	for l := r.record.part; l != nil; l = l.next {
		if e := l.part.executingInside(); e != nil {
			return e
		}
	}
	return nil
}

// mayNotYield reports whether r must go on with its turn: it has parts or is a part, and one of its fibers is leaving or
// undoing, so nothing that happens in the other runs may come between (O7). If r must go on, mayNotYield grants one more step.
func (r *Run) mayNotYield() bool {
	if k := r.record; k == nil || k.part == nil && r.lingers() == nil || !r.anyOn(leaving) && !r.anyOn(undoing) {
		return false
	}
	r.grant(1)
	return true
}

// defects returns the panics and other defects of r, which has ended. They have to be reported, because nobody gets the
// error of r.
func (r *Run) defects() []error {
	var broken []error
	e, ok := r.Result().(*fault.Error)
	if !ok {
		return nil
	}
	if e.Code != fault.Cancelled && panicOf(e.Cause) != nil { // the cause of a cancel isn't a defect of r
		broken = append(broken, e)
	}
	if r.main.unwinding != nil && r.main.trail != nil {
		broken = append(broken, r.main.trail.defects...)
	}
	return broken
}

// Forsaken reports whether a part of r, or a part of such a part, has lingered beyond its grace: it may still be on the loop.
func (r *Run) Forsaken() bool { return r.record != nil && r.record.forsaken }

// IsPart reports whether s is the main fiber of a run that is a part of another one, see [Linger].
func (s *Fiber) IsPart() bool { return s.fork == nil && s.run.lingers() != nil }

// partsUnder returns the list all with further fibers: the main fibers of the parts that steps of r under k wait for, and of
// the parts inside of these, if no shield is in between. A nil k stands for the steps of r in no shield; a step in another
// shield isn't under k.
func (r *Run) partsUnder(k *Fork, all []*Fiber) []*Fiber {
	if r.record == nil {
		return all
	}
	for l := r.record.part; l != nil; l = l.next {
		if l.frame != nil && l.frame.fiber.under(k) {
			all = l.part.partsUnder(nil, append(all, &l.part.main))
		}
	}
	return all
}
