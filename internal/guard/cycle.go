package guard

import (
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Blockage is one link of a cycle: a step that waits for a lock, and a second step, which is inside of that lock, or stands
// before the first one in the queue and needs more places.
type Blockage struct {
	Lock         *Lock
	Waits, Holds fault.Frame
	Queued       bool // the second step isn't inside of the guard but in its queue
	WaitsRun     int  // number of the run of the step that waits; 0 is the run whose step closes the cycle
	HoldsRun     int  // number of the run of the second step
}

// cycle returns the shortest way from s, which is stuck, back to s; nil if there is none.
func (d *Detector) cycle(s *Locks) []Blockage {
	for _, n := range d.nodes {
		if !n.goes {
			n.stuck = d.mark
		}
	}
	search := d.mark
	d.begin(s)
	for i, last := 0, -1; i < len(d.nodes); i++ {
		d.nodes[i].depends(func(o *Locks) bool {
			if o == s {
				last = i
			}
			if o.stuck == search {
				d.see(o, i)
			}
			return last < 0
		})
		if last >= 0 {
			return d.describe(last)
		}
	}
	return nil // for instance because a timeout or a cancel has ended a wait meanwhile
}

// depends calls yield for each fiber that s depends on, until yield returns false. If s waits for a lock, these are the
// fibers inside of the lock and, if weights matter, those that wait before s with heavier tickets. Otherwise they are the
// inner fibers of s.
func (s *Locks) depends(yield func(*Locks) bool) {
	c := s.waits
	if c == nil {
		for o := s.inner; o != nil && yield(o); o = o.next {
		}
		return
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if !c.queued() {
		return
	}
	for h := c.lock.Holders.head; h != nil; h = c.lock.Holders.after(h) {
		if !yield(h.locks) {
			return
		}
	}
	if !c.lock.weighted() {
		return
	}
	for q := c.lock.Queue.head; q != c; q = c.lock.Queue.after(q) {
		if q.Weight() > c.Weight() && !yield(q.locks) {
			return
		}
	}
}

// describe returns the cycle from node 0 to node last and back; nil if there is none any more.
func (d *Detector) describe(last int) []Blockage {
	way := []*Locks{d.nodes[0].Locks}
	for i := last; i >= 0; i = d.nodes[i].from {
		way = append(way, d.nodes[i].Locks)
	}
	slices.Reverse(way)
	runs := make(map[*frame.Run]int)
	var report []Blockage
	for i, next := range way[1:] {
		s := way[i]
		if s.waits == nil {
			continue // next is an inner fiber of s
		}
		h := s.waits.heldBy(next)
		if h == nil {
			return nil // for instance because a timeout or a cancel has ended the wait meanwhile
		}
		report = append(report, Blockage{
			Lock: s.waits.lock, Waits: s.waits.step(), Holds: h.step(), Queued: h == next.waits,
			WaitsRun: number(runs, s.fiber.Run()), HoldsRun: number(runs, next.fiber.Run()),
		})
	}
	return report
}

func number(runs map[*frame.Run]int, r *frame.Run) int {
	if _, ok := runs[r]; !ok {
		runs[r] = len(runs)
	}
	return runs[r]
}

// heldBy returns the ticket of s that keeps c out of its lock: one that is inside, or else the one
// with which s waits in the same queue. It returns nil if c doesn't wait any more, or s has left.
func (c *Ticket) heldBy(s *Locks) *Ticket {
	c.lock.Lock()
	defer c.lock.Unlock()
	if !c.queued() {
		return nil
	}
	for h := c.lock.Holders.head; h != nil; h = c.lock.Holders.after(h) {
		if h.locks == s {
			return h
		}
	}
	if w := s.waits; w != nil && w.lock == c.lock && c.lock.Queue.Has(w) {
		return w
	}
	return nil
}

func (c *Ticket) step() fault.Frame { return c.frame.Mark(fault.Left) }
