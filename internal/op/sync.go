package op

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// What guards are made of. Guards are untyped: a section lets any value pass.
type (
	// Ticket is [frame.Ticket].
	Ticket = frame.Ticket
	// LeaseRef is [frame.LeaseRef].
	LeaseRef = frame.LeaseRef
	// Lock is [frame.Lock].
	Lock = frame.Lock
	// Line is [frame.Line].
	Line = frame.Line
	// Blockage is [frame.Blockage].
	Blockage = frame.Blockage
	// Info is [frame.Info].
	Info = frame.Info
)

// Made says what its caller's caller makes, and where.
func Made(kind string) Info { return Info{Kind: kind, Made: frame.Here()} }

// ByWindow links a Line by the place of a ticket that a Lock doesn't use.
const ByWindow = frame.ByWindow

// Deadlocks is the detector of all locks.
var Deadlocks = &frame.Deadlocks

// Protect is [frame.Protect], for what a guard is asked while a plan is built.
func Protect(fn func(), after func(broken error)) { frame.Protect(fn, after) }

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

// section is a step whose sub-steps run inside of a guard. The guard is left
// when they have succeeded, otherwise when a hook of the step would be called:
// before the handlers around are asked (G1).
type section[In, Out any] struct {
	group[In, Out]
	guard  Guard                    // its Key alone with choose
	choose func(In) (*Guard, error) // nil: it is guard
	state  plan.Cell[entry]
}

// entry is the state of a section.
type entry struct {
	claim *frame.Ticket // nil before the first use of the memory, and after a guard has not returned
	asked bool          // the guard has been called and hasn't returned
	guard *Guard        // of the section; nil outside of one
}

// Clear leaves the ticket to a guard that has not returned.
func (s *entry) Clear() {
	if s.asked {
		s.abandon()
	}
}

func (s *entry) abandon() {
	s.claim.Abandon()
	s.claim, s.guard, s.asked = nil, nil, false
}

func (o *section[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	s.Clear() // of another section of this level
	s.guard = &o.guard
	if o.choose != nil {
		guard, err := o.choose(*o.in.At(f))
		if err != nil {
			return f.Fail(err)
		}
		s.guard = guard
	}
	if s.claim == nil {
		s.claim = new(frame.Ticket)
	}
	c := s.claim
	c.Init(s.guard.Key)
	c.Ask(f)
	f.Hold()
	s.asked = true
	entered, err := s.guard.Enter(c)
	s.asked = false
	if err != nil {
		f.Unhold()
		c.End()
		c.Forget()
		s.guard = nil
		return f.Fail(err)
	}
	if entered {
		c.Enter()
		return o.begin(f, c)
	}
	if c.Await() {
		return frame.Waiting
	}
	return o.decided(f, c)
}

func (o *section[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	c := o.state.At(f).claim
	if c.Inside() {
		_ = plan.Result(f, o.out.At(f))
		f.Unhold()
		o.Release(f)
		return frame.Done
	}
	c.Resume()
	return o.decided(f, c)
}

func (o *section[In, Out]) decided(f *frame.Frame, c *frame.Ticket) frame.Verdict {
	if err := c.Decided(); err != nil {
		return f.Fail(err)
	}
	return o.begin(f, c)
}

// begin starts the steps of the section. A flow that is inside already needs no
// second lease.
func (o *section[In, Out]) begin(f *frame.Frame, c *frame.Ticket) frame.Verdict {
	if lease := o.state.At(f).guard.Lease; lease != nil && !c.Nested() {
		if fence := lease(c); fence != 0 {
			f.Provide(fenceKey{}, fence)
		}
	}
	return o.enter(f)
}

// fenceKey is what the context of a section has its fence under.
type fenceKey struct{}

// FenceOf is the fence of the section that ctx is of; 0 if it has none.
func FenceOf(ctx context.Context) uint64 {
	fence, _ := ctx.Value(fenceKey{}).(uint64)
	return fence
}

// Release tells the guard, once: the ticket has ended before the guard is called,
// in case that doesn't return. A guard that has not returned from Enter is told
// nothing.
func (o *section[In, Out]) Release(f *frame.Frame) {
	s := o.state.At(f)
	if s.asked {
		s.abandon()
		return
	}
	c := s.claim
	ending := c.End()
	s.asked = true
	switch ending {
	case frame.Leave:
		s.guard.Leave(c)
	case frame.Withdraw:
		s.guard.Withdraw(c)
	case frame.Nothing:
	}
	s.asked = false
	s.guard = nil
	c.Forget()
}

// key tells which guard it is.
func (o *section[In, Out]) key() any { return o.guard.Key }

// Sync runs s inside of g (§1.11); bad says what is wrong with g, if anything.
func Sync[In, Out any](g Guard, bad string, s *plan.Stage[In, Out]) *plan.Stage[In, Out] {
	return SyncBy(g, nil, bad, s)
}

// SyncBy is Sync with the guard that choose gives for the input, if it isn't nil; g has
// only a Key then, for observers.
func SyncBy[In, Out any](g Guard, choose func(In) (*Guard, error), bad string, s *plan.Stage[In, Out]) *plan.Stage[In, Out] {
	var n *plan.Node
	n = plan.NewNode[In, Out]("sync", func(e *plan.Emitter) {
		state := plan.State[entry](e)
		holding(e, s.Node(), func(e *plan.Emitter, inside group[In, Out], body plan.Held) {
			e.Op(n, &section[In, Out]{inside, g, choose, state}, body)
		})
	}, s.Node())
	if bad != "" {
		n.Reject(bad)
	}
	return plan.NewStage[In, Out](n)
}

// Key tells which guard the current step of f is a section of, nil if it is none.
func Key(f *frame.Frame) any {
	op := f.Op()
	if h, ok := op.(handles); ok {
		op = h.handled()
	}
	if o, ok := op.(interface{ key() any }); ok {
		return o.key()
	}
	return nil
}
