package guard

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/site"
)

// Guard holds the functions of a guard. Enter is called once for each ticket; if it returns false without an error, the
// guard decides by Grant or Refuse. Leave is called for a ticket that was let in, Withdraw for one that was queued and not
// let in.
type Guard struct {
	Key      any // identifies the guard; comparable
	Enter    func(*Ticket) (bool, error)
	Leave    func(*Ticket)
	Withdraw func(*Ticket)
	Lease    func(*Ticket) (fence uint64) // begins the lease of a ticket that is inside; nil if the guard has no leases
}

// Section is the state of a step whose sub-steps run inside of a guard. The op of the step is a frame.Holder, whose
// Release calls the Section's.
//
//	outside ──Enter──▶ entered, waits or failed
//	waits ──Resume──▶ entered or failed
//	entered ──Leave──▶ outside
//	any of these ──Release──▶ outside
type Section struct {
	ticket *Ticket // nil before the first Enter, and after a call of a guard that has not returned
	asked  bool    // Enter, Leave or Withdraw of the guard was called and hasn't returned
	guard  *Guard  // nil outside
}

// Clear drops the ticket if Enter, Leave or Withdraw of the guard has panicked or ended the goroutine: the guard may still
// refer to the ticket.
func (s *Section) Clear() {
	if s.asked {
		s.abandon()
	}
}

func (s *Section) abandon() {
	s.ticket.Abandon()
	s.ticket, s.guard, s.asked = nil, nil, false
}

// Enter asks g to let in the current step of f with the given weight. If Enter returns frame.Entered, the caller enters the
// sub-steps. Any other result is the verdict of the step.
func (s *Section) Enter(f *frame.Frame, g *Guard, weight int) frame.Verdict {
	s.Clear() // left over from another section of this level
	s.guard = g
	if s.ticket == nil {
		s.ticket = new(Ticket)
	}
	c := s.ticket
	c.Init(g.Key)
	c.Ask(f)
	c.Weigh(weight)
	f.Hold()
	s.asked = true
	entered, err := g.Enter(c)
	s.asked = false
	switch {
	case err != nil:
		c.End() // so that Release tells the guard nothing
		return f.Fail(err)
	case entered:
		c.Enter()
		return s.beginLease(f)
	case c.Await():
		return frame.Waiting
	default:
		return s.decided(f)
	}
}

// Inside reports whether the sub-steps have been entered. The Resume of the step's op then means that the sub-steps have
// ended. Otherwise it means that the wait for the guard has ended.
func (s *Section) Inside() bool { return s.ticket.Inside() }

// Resume continues after the wait for the guard; it returns a verdict as Enter does.
func (s *Section) Resume(f *frame.Frame) frame.Verdict {
	s.ticket.Resume()
	return s.decided(f)
}

func (s *Section) decided(f *frame.Frame) frame.Verdict {
	if err := s.ticket.Decided(); err != nil {
		return f.Fail(err)
	}
	return s.beginLease(f)
}

// beginLease begins the lease, if the guard has leases. A flow that is inside of the guard already needs no second one.
func (s *Section) beginLease(f *frame.Frame) frame.Verdict {
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

// Release calls Leave or Withdraw of the guard, because the section is left. It ends the ticket first, in case the guard
// doesn't return. If Enter of the guard has failed, or has not returned, Release calls neither.
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

type fenceKey struct{}

// FenceOf returns the fence of the innermost section around ctx that has one; 0 if none has.
func FenceOf(ctx context.Context) uint64 {
	fence, _ := ctx.Value(fenceKey{}).(uint64)
	return fence
}

// Made returns the Info of a guard of that kind, with the callers of the function that calls Made: see site.Origin.
func Made(kind string) site.Info { return site.Info{Kind: kind, Made: site.Here()} }
