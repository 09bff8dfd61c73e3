package guard

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Guard is what a section asks. Enter is asked once; if it answers false
// without an error, it grants or refuses the ticket later. What was let in is
// ended by Leave, what was queued and not let in by Withdraw.
type Guard struct {
	Key      any // tells guards apart; comparable
	Enter    func(*Ticket) (bool, error)
	Leave    func(*Ticket)
	Withdraw func(*Ticket)
	Lease    func(*Ticket) (fence uint64) // begins the lease of a ticket that is inside; nil: there is none
}

// Section is what a step remembers whose sub-steps run inside of a guard. The op of
// the step is a frame.Holder, whose Release is that of the Section.
//
//	outside ──Enter──▶ entered, waits or failed
//	waits ──Resume──▶ entered or failed
//	entered ──Leave──▶ outside
//	any of these ──Release──▶ outside
type Section struct {
	ticket *Ticket // nil before the first use of the memory, and after a guard has not returned
	asked  bool    // the guard has been called and hasn't returned
	guard  *Guard  // nil outside
}

// Clear leaves the ticket to a guard that has not returned.
func (s *Section) Clear() {
	if s.asked {
		s.abandon()
	}
}

func (s *Section) abandon() {
	s.ticket.Abandon()
	s.ticket, s.guard, s.asked = nil, nil, false
}

// Enter asks g for entry for the current step of f. If it gives frame.Entered the caller
// enters its sub-steps; anything else is the verdict of the step.
func (s *Section) Enter(f *frame.Frame, g *Guard) frame.Verdict {
	s.Clear() // of another section of this level
	s.guard = g
	if s.ticket == nil {
		s.ticket = new(Ticket)
	}
	c := s.ticket
	c.Init(g.Key)
	c.Ask(f)
	f.Hold()
	s.asked = true
	entered, err := g.Enter(c)
	s.asked = false
	switch {
	case err != nil:
		f.Unhold()
		c.End()
		c.Forget()
		s.guard = nil
		return f.Fail(err)
	case entered:
		c.Enter()
		return s.begin(f)
	case c.Await():
		return frame.Waiting
	default:
		return s.decided(f)
	}
}

// Inside says whether the sub-steps have been entered: then it is they that have
// ended when the step is resumed, otherwise the wait for the guard.
func (s *Section) Inside() bool { return s.ticket.Inside() }

// Resume goes on after the wait for the guard, with the verdict of Enter.
func (s *Section) Resume(f *frame.Frame) frame.Verdict {
	s.ticket.Resume()
	return s.decided(f)
}

func (s *Section) decided(f *frame.Frame) frame.Verdict {
	if err := s.ticket.Decided(); err != nil {
		return f.Fail(err)
	}
	return s.begin(f)
}

// begin begins the lease, if there is one. A flow that is inside already needs no second
// one.
func (s *Section) begin(f *frame.Frame) frame.Verdict {
	if lease := s.guard.Lease; lease != nil && !s.ticket.Nested() {
		if fence := lease(s.ticket); fence != 0 {
			f.Provide(fenceKey{}, fence)
		}
	}
	return frame.Entered
}

// Leave ends the section after its sub-steps have succeeded.
func (s *Section) Leave(f *frame.Frame) {
	f.Unhold()
	s.Release()
}

// Release tells the guard, once: the ticket has ended before the guard is called,
// in case that doesn't return. A guard that has not returned from Enter is told
// nothing.
func (s *Section) Release() {
	if s.asked {
		s.abandon()
		return
	}
	c := s.ticket
	ending := c.End()
	s.asked = true
	switch ending {
	case Leave:
		s.guard.Leave(c)
	case Withdraw:
		s.guard.Withdraw(c)
	case Nothing:
	}
	s.asked = false
	s.guard = nil
	c.Forget()
}

// fenceKey is what the context of a section has its fence under.
type fenceKey struct{}

// FenceOf is the fence of the section that ctx is of; 0 if it has none.
func FenceOf(ctx context.Context) uint64 {
	fence, _ := ctx.Value(fenceKey{}).(uint64)
	return fence
}

// Made says what its caller's caller makes, and where.
func Made(kind string) frame.Info { return frame.Info{Kind: kind, Made: frame.Here()} }
