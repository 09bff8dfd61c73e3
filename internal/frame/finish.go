package frame

import "maps"

// Owner is told of the end of its run, once, on the run's loop, or on the goroutine that drives a run without a loop.
type Owner interface{ Ended(r *Run) }

// Ended makes a function an Owner.
type Ended func(r *Run)

// Ended calls f.
func (f Ended) Ended(r *Run) { f(r) }

// HasEnded reports whether the run has ended. From then on Result returns its error.
func (r *Run) HasEnded() bool { return r.hasEnded }

// WasCancelled reports whether a run that has ended was cancelled. A run that has failed with the code Cancelled by itself
// wasn't.
func (r *Run) WasCancelled() bool { return r.cancelDelivered }

// Result returns the error of a run that has ended; nil if it ended with a value.
func (r *Run) Result() error {
	if r.record == nil {
		return nil
	}
	return r.record.result
}

// finish ends the run. A cancel that was accepted before, but hasn't been handled yet, wins,
// although nothing is left to unwind.
func (r *Run) finish(err error) {
	if r.seal() {
		r.quit(err)
		return
	}
	if err == nil && r.record == nil { // conclude would do no more: nobody observes the run, and it has no parts
		r.doing, r.hasEnded = stepping, true
		return
	}
	r.conclude(err, false)
}

// quit ends the run as cancelled, after all steps have ended. err is the error with which it would have ended without the
// cancel; nil stands for a value.
func (r *Run) quit(err error) {
	r.cancelDelivered = true
	t := new(trail)
	if err != nil {
		t.also(err)
	}
	r.conclude(r.cancelled(t, quitting), true)
}

// conclude ends the run with err, nil for a value. If parts linger, and handOn can't give them to a run around r, conclude only
// stores err; it is called again after the last part. If quits is true, the Watch is told first that the run is cancelled.
func (r *Run) conclude(err error, quits bool) {
	r.doing = stepping
	if err != nil {
		r.errors().result = err
	}
	if r.record != nil && r.record.part != nil && !r.handOn() {
		r.doing, r.record.quits = remaining, quits // conclude is called again after the last part
		return
	}
	r.hasEnded = true
	if quits {
		r.publishQuit(err)
		return
	}
	r.publish(RunEnd, nil, err)
}

// publishQuit reports the cancel of the run and then its end, even if the Watch ends the goroutine.
func (r *Run) publishQuit(err error) {
	defer r.publish(RunEnd, nil, err)
	r.publishCancelled()
}

// seal ends the time in which the run can be cancelled. It reports whether a cancel was
// accepted before and hasn't been handled yet.
//
// seal takes no lock if the run has no loop, because then only the goroutine that drives the run knows it. Nor does it take one
// if the alert goes from idle or first to sealed. A goroutine that cancels stores its request and then moves the alert away
// from these states. If that goroutine is first, the move by seal fails. If seal is first, the goroutine can't move the alert
// any more, and takes its request back: see stop. Nothing else is posted then, because no step of the run is left.
func (r *Run) seal() (promised bool) {
	if r.tool == nil && r.posts == nil {
		r.decided = true
		return false
	}
	return r.sealShared()
}

// sealShared does the work of seal for a run that other goroutines may know.
func (r *Run) sealShared() (promised bool) {
	switch now := r.alert.Load(); {
	case r.tool == nil:
		r.decided = true
		return r.dropPosts()
	case now <= calm && r.alert.CompareAndSwap(now, sealed): // no cancel is put off: the alert would be holding
		return false
	default:
		return r.sealLocked()
	}
}

func (r *Run) sealLocked() (promised bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.withdraw()
	r.alert.Store(sealed)
	return r.posts != nil && r.dropPosts()
}

// dropPosts empties the inbox, so that no fiber of the activation stays reachable, and drops a cancel that a closing run has
// refused. It reports whether a cancel was accepted that hasn't been delivered.
func (r *Run) dropPosts() (promised bool) {
	for r.posts.inbox.pop() != nil {
	}
	r.posts.late = nil
	return r.posts.request != nil && !r.cancelDelivered
}

// unseal sets the alert after user code has ended the goroutine within a turn, so that the next turn delivers the posts that
// are left. If seal was called before, the run still can't be cancelled.
func (r *Run) unseal() {
	r.mu.Lock()
	r.decided = r.decided || r.alert.Load() == sealed
	if r.alert.Load() != queued {
		r.alert.Store(dirty) // some of the posts that the turn has begun to look at may be left
	}
	r.mu.Unlock()
}

// Recycle gives back the memory of a run that has ended, or was never started. The caller must have taken the result before;
// from here on every handle to the run is void.
func (r *Run) Recycle() {
	used := r.gen.Add(1)
	inst := r.root
	r.spare, r.ctx, r.owner, r.cur, r.next = nil, nil, nil, nil, nil
	if u := r.main.unwinding; u != nil {
		u.err = nil
		if u.trail != nil {
			u.trail.shrink()
		}
	}
	if k := r.record; k != nil {
		if k.lent {
			k.vars = maps.Clone(k.vars) // a part that was left behind may still use the present vars
		}
		k.vars.clear()
		*k = record{vars: k.vars}
	}
	if r.posts != nil {
		r.posts.request, r.posts.late = nil, nil
	}
	if r.due != nil {
		r.due.clear()
	}
	if r.tool != nil {
		r.moveOut()
	}
	r.life = life{}
	if used >= retired {
		inst.run = nil
	}
	inst.clear()
	if inst.memory != nil {
		inst.memory.roots.Put(inst) // last: from here on another run may use inst and its Run
	}
}
