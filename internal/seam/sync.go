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

// Protect is [frame.Protect], for what a guard is asked while a plan is built.
func Protect(fn func(), after func(broken error)) { frame.Protect(fn, after) }

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
type section[In, Out any] struct {
	group[In, Out]
	guard Guard
	state Cell[entry]
}

// entry is the state of a section. The claim is nil before the first use of the
// memory, and after a guard has not returned from a call: then the guard keeps it.
type entry struct{ claim *frame.Claim }

// Clear has nothing to do: a claim that has ended is forgotten.
func (*entry) Clear() {}

// called takes the claim from the section if the guard has not returned.
func (e *entry) called(returned bool) {
	if !returned {
		e.claim.Abandon()
		e.claim = nil
	}
}

func (o *section[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	state := o.state.At(f)
	if state.claim == nil {
		state.claim = new(frame.Claim)
	}
	c := state.claim
	c.Init(o.guard.Key)
	c.Ask(f)
	entered, err := o.ask(state)
	if err != nil {
		c.End()
		c.Forget()
		return f.Fail(err)
	}
	f.Hold()
	if entered {
		c.Enter()
		return o.enter(f)
	}
	if c.Await() {
		return frame.Waiting
	}
	return o.decided(f, c)
}

func (o *section[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	c := o.state.At(f).claim
	if c.Inside() {
		_ = Result(f, o.out.At(f))
		f.Unhold()
		o.Release(f)
		return frame.Done
	}
	c.Resume()
	return o.decided(f, c)
}

func (o *section[In, Out]) decided(f *frame.Frame, c *frame.Claim) frame.Verdict {
	if err := c.Decided(); err != nil {
		return f.Fail(err)
	}
	return o.enter(f)
}

// ask has the guard decide, or begin to.
func (o *section[In, Out]) ask(state *entry) (entered bool, err error) {
	returned := false
	defer func() { state.called(returned) }()
	entered, err = o.guard.Enter(state.claim)
	returned = true
	return entered, err
}

// Release tells the guard, once: the claim has ended before the guard is called,
// in case that doesn't return.
func (o *section[In, Out]) Release(f *frame.Frame) {
	state, returned := o.state.At(f), false
	defer func() { state.called(returned) }()
	c := state.claim
	switch c.End() {
	case frame.Leave:
		o.guard.Leave(c)
	case frame.Withdraw:
		o.guard.Withdraw(c)
	case frame.Nothing:
	}
	c.Forget()
	returned = true
}

// key tells which guard it is.
func (o *section[In, Out]) key() any { return o.guard.Key }

// Sync runs s inside of g (§1.11); bad says what is wrong with g, if anything.
func Sync[In, Out any](g Guard, bad string, s *Stage[In, Out]) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("sync", func(e *Emitter) {
		state := State[entry](e)
		holding(e, s.node, func(e *Emitter, inside group[In, Out], body Held) {
			e.Op(n, &section[In, Out]{inside, g, state}, body)
		})
	}, s.node)
	if bad != "" {
		n.Reject(bad)
	}
	return NewStage[In, Out](n)
}
