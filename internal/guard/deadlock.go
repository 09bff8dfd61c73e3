package guard

import (
	"cmp"
	"slices"
	"sync"
)

// Detector finds flows that wait for each other. A fiber is stuck if
//
//   - it waits for a lock, and so many of the lock's holders are stuck that there is never room
//     for it, or for a fiber before it in the queue: all holders, unless tickets have weights, or
//   - a branch that it has forked, or one further in, is stuck. A race is stuck only if all branches that
//     live or may yet begin are stuck.
//
// A stuck fiber stays so until something else, such as a timeout or a cancel, ends a wait. The detector searches in Check,
// when a fiber begins to wait, and in Fewer, when a branch of a race ends or won't begin any more. It doesn't search when
// the maximum of a mutex is lowered, although that can make fibers stuck too.
//
// The detector's lock is held from before a ticket is queued until Check has returned. A fiber that has waited must take that
// lock before it goes on. So no fiber that is found stuck goes on during the search, and the frames of such fibers may be
// read. The search locks one Lock at a time. It unlocks the Lock after each holder, unless tickets have weights (see weigh).
// That is safe: a holder that is stuck doesn't leave, and a holder that leaves meanwhile lets in the first of the queue,
// which then counts as a fiber that goes on.
type Detector struct {
	mu    sync.Mutex
	mark  uint64
	waits uint64 // how many tickets Check was given: the source of Ticket.order
	nodes []node // the nodes of the current search
	edges []edge
	heavy []heavy
}

// Deadlocks is the only detector, because flows of different runs may wait for each other.
var Deadlocks Detector

// Lock locks the detector. A guard that looks for deadlocks calls it before it queues a ticket, and Unlock after Check.
func (d *Detector) Lock() { d.mu.Lock() }

// Unlock unlocks the detector.
func (d *Detector) Unlock() {
	d.trim()
	d.mu.Unlock()
}

// Check records that c has been queued. It returns the cycle that this closes, beginning with
// the wait of c, or nil. Call it between Lock and Unlock.
func (d *Detector) Check(c *Ticket) []Blockage {
	d.waits++
	c.watched, c.order = true, d.waits
	c.locks.block(c)
	if !d.stuck(c.locks) {
		return nil
	}
	return d.cycle(c.locks)
}

// refuse fails waits inside of the branches of race, if race can't go on any more. It goes from the latest wait to the
// earliest, and skips fibers that can go on because of a refusal. More than one wait fails if, for instance, two flows inside
// of the same branch are stuck. A ticket that is in no cycle goes on waiting.
func (d *Detector) refuse(race *Locks) {
	if !d.stuck(race) {
		return
	}
	waiting := race.waiting(nil)
	slices.SortFunc(waiting, func(a, b *Ticket) int { return cmp.Compare(b.order, a.order) })
	for _, c := range waiting {
		if !d.stuck(c.locks) {
			continue // for instance because another one was refused
		}
		if cycle := d.cycle(c.locks); cycle != nil {
			c.Refuse(c.lock.Never(cycle))
		}
	}
}

// Drop undoes Check. Call it between Lock and Unlock.
func (d *Detector) Drop(c *Ticket) {
	c.watched = false
	c.locks.unblock()
}

// unwatch is Drop for a ticket that doesn't wait any more, and locks the detector.
func (c *Ticket) unwatch() {
	if c.watched {
		Deadlocks.Lock()
		Deadlocks.Drop(c)
		Deadlocks.Unlock()
	}
}

// queued reports whether c still waits for its lock, which the caller has locked. The step of
// c doesn't wait any more if it is being cancelled.
func (c *Ticket) queued() bool {
	if !c.lock.Queue.Has(c) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state == ticketAsking || c.state == ticketWaiting && c.wait.Valid(c.gen)
}
