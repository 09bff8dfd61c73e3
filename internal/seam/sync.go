package seam

import "github.com/futoin-go/asyncsteps/internal/frame"

// What guards are made of. Guards are untyped: a section lets any value pass.
type (
	// Claim is [frame.Claim].
	Claim = frame.Claim
	// Lock is [frame.Lock].
	Lock = frame.Lock
	// Line is [frame.Line].
	Line = frame.Line
	// Blockage is [frame.Blockage].
	Blockage = frame.Blockage
)

// ByWindow links a Line by the place of a claim that a Lock doesn't use.
const ByWindow = frame.ByWindow

// Deadlocks is the detector of all locks.
var Deadlocks = &frame.Deadlocks

// Guard is what a section asks. Enter is asked once; if it answers false
// without an error, it grants or refuses the claim later. What was let in is
// ended by Leave, what was queued and not let in by Withdraw.
type Guard struct {
	Key      any // tells guards apart; comparable
	Enter    func(*Claim) (bool, error)
	Leave    func(*Claim)
	Withdraw func(*Claim)
}

// section is a step whose sub-steps run inside of a guard. The guard is left
// when they have succeeded, otherwise when a hook of the step would be called:
// before the handlers around are asked (G1).
type section struct {
	frame.Leaf
	guard Guard
	claim frame.Claim
	body  frame.Frame
}

func (o *section) Exec(f *frame.Frame) frame.Verdict {
	c := &o.claim
	c.Ask(f)
	entered, err := o.guard.Enter(c)
	if err != nil {
		c.End()
		c.Forget()
		return f.Fail(err)
	}
	f.Hold()
	if entered {
		c.Enter()
		return f.Enter(&o.body)
	}
	if c.Await() {
		return frame.Waiting
	}
	return o.decided(f)
}

func (o *section) Resume(f *frame.Frame) frame.Verdict {
	if o.claim.Inside() {
		f.Unhold()
		o.Release()
		return frame.Done
	}
	o.claim.Resume()
	return o.decided(f)
}

func (o *section) decided(f *frame.Frame) frame.Verdict {
	if err := o.claim.Decided(); err != nil {
		return f.Fail(err)
	}
	return f.Enter(&o.body)
}

// Release tells the guard, once: the claim has ended before the guard is called,
// in case that panics.
func (o *section) Release() {
	switch o.claim.End() {
	case frame.Leave:
		o.guard.Leave(&o.claim)
	case frame.Withdraw:
		o.guard.Withdraw(&o.claim)
	case frame.Nothing:
	}
	o.claim.Forget()
}

// Sync runs s inside of g (§1.11); bad says what is wrong with g, if anything.
func Sync[In, Out any](skip int, g Guard, bad string, s *Stage[In, Out]) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("sync", skip+1, func(e *Emitter) {
		e.Level(s.node, func(level *frame.Level) {
			o := &section{guard: g}
			o.claim.Init(g.Key)
			o.body.Init(e.inst, level)
			e.Op(&n.Info, o)
		})
	}, Kid{s.node, Body})
	if bad != "" {
		n.Reject(bad)
	}
	return NewStage[In, Out](n)
}
