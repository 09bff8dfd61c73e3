package guard

import (
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Blockage is one link of a cycle: a step that waits for a lock, and a step that is inside of
// it, or that is before it in the queue and needs more places.
type Blockage struct {
	Lock         *Lock
	Waits, Holds fault.Frame
	WaitsRun     int // the runs of a cycle are numbered from 0, the one of the
	HoldsRun     int // step that closes it
}

// cycle returns the shortest way from s, which is stuck, back to s.
func (d *Detector) cycle(s *Locks) []Blockage {
	stuck := make(map[*Locks]bool, len(d.nodes))
	for _, n := range d.nodes {
		stuck[n.Locks] = !n.goes
	}
	d.begin(s)
	for i, last := 0, -1; i < len(d.nodes); i++ {
		d.nodes[i].depends(func(o *Locks) bool {
			if o == s {
				last = i
			}
			if stuck[o] {
				d.see(o, i)
			}
			return last < 0
		})
		if last >= 0 {
			return d.describe(last)
		}
	}
	return nil // a timeout or a cancel has ended the wait meanwhile
}

// depends gives the fibers that s depends on until yield says no: the holders
// of what it waits for, or those below.
func (s *Locks) depends(yield func(*Locks) bool) {
	c := s.waits
	if c == nil {
		for o := s.below; o != nil && yield(o); o = o.next {
		}
		return
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if !c.queued() {
		return
	}
	for h := c.lock.Holders.head; h != nil && yield(h.locks); h = c.lock.Holders.after(h) {
	}
}

// describe describes the way to node last, and from there to node 0.
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
			continue // next is below s
		}
		h := s.waits.heldBy(next)
		if h == nil {
			return nil // a timeout or a cancel has ended the wait meanwhile
		}
		report = append(report, Blockage{
			Lock: s.waits.lock, Waits: s.waits.step(), Holds: h.step(),
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

// heldBy is the ticket with which s holds what c waits for.
func (c *Ticket) heldBy(s *Locks) *Ticket {
	c.lock.Lock()
	defer c.lock.Unlock()
	if !c.queued() {
		return nil
	}
	h := c.lock.Holders.head
	for ; h != nil && h.locks != s; h = c.lock.Holders.after(h) {
	}
	return h
}

// step returns the step of the ticket.
func (c *Ticket) step() fault.Frame { return c.frame.Mark(fault.Left) }
