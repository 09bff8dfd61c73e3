package envoy

import (
	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/dyn"
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/tool"
)

// Envoy is a run that enters a guard for a flow and stays inside until Leave. When the flow enters again, the envoy runs a section
// inside of its section, so that the guard sees the same flow.
type Envoy struct {
	guard guard.Guard
	run   *dyn.Root
	turns func(follows bool) // the argument of New; may be nil

	answer  func(error)   // of the last Enter
	decided bool          // the last Enter was answered, or Close was called
	err     error         // the answer
	ticket  *guard.Ticket // the ticket of an Enter that waits for the guard; nil if none waits

	over    bool // the run has ended
	turning bool // settle is running

	again bool     // the next command is to enter again; otherwise it is to leave
	order dyn.Done // completes the wait for a command
	ended func()
}

// New returns an envoy for g, whose run will live on t. The envoy calls ended when its run ends: the flow is then neither inside nor
// waiting any more. turns may be nil. Otherwise the envoy calls turns(true) before, and turns(false) after, a completion of a step of its
// run. Then the envoy gives the run a turn itself, so t need not schedule one for that completion.
func New(t tool.Tool, g guard.Guard, turns func(follows bool), ended func()) *Envoy {
	e := &Envoy{guard: g, turns: turns, ended: ended}
	e.guard.Enter = func(c *guard.Ticket) (bool, error) {
		in, err := g.Enter(c)
		if !in && err == nil {
			e.ticket = c
		}
		return in, err
	}
	e.run = dyn.NewRoot(t)
	e.run.Top().Add(attempt{e}, dyn.Code{})
	return e
}

// Enter enters the guard, once more if the flow is inside. answer is called once, unless Close comes first: with nil when the flow is
// inside, or with an error, such as the guard's. answer may be called before Enter returns. The previous Enter must have been answered.
func (e *Envoy) Enter(answer func(error)) {
	e.answer, e.decided = answer, false
	if !e.run.Made() {
		e.command(true)
	} else if err := e.run.Begin(e); err != nil {
		e.decide(err)
	} else {
		e.settle()
	}
}

// mostTurns bounds the turns of settle.
const mostTurns = 1000

// settle gives the run turns, mostTurns of them at most, until the run waits for a command or for the guard, or has ended. One turn may
// not be enough, because a turn ends when the run has used up its budget. A run that doesn't wait for a command yet would lose the next
// one.
func (e *Envoy) settle() {
	if e.turning {
		return
	}
	e.turning = true
	for n := 0; n < mostTurns && !e.over && !e.order.Valid() && e.ticket == nil; n++ {
		e.run.Turn()
	}
	e.turning = false
}

// Decided reports whether the last Enter was answered, or Close was called.
func (e *Envoy) Decided() bool { return e.decided }

// Leave undoes the last Enter: it leaves the guard, or withdraws from the queue.
func (e *Envoy) Leave() {
	if !e.Withdraw() {
		e.command(false)
	}
}

// Withdraw ends the wait for the guard by answering the last Enter with fault.Cancelled. It reports false if the envoy
// isn't waiting, or has just been let in.
func (e *Envoy) Withdraw() bool {
	if e.decided || e.ticket == nil {
		return false
	}
	e.quietly(func() { e.ticket.Refuse(fault.Cancelled) })
	e.ticket = nil
	e.settle()
	return e.decided && e.err != nil
}

// Cancel is called when the step that waits for the guard is cancelled: the envoy withdraws, or leaves again if it has just been let in.
func (e *Envoy) Cancel() {
	if !e.Withdraw() && e.decided && e.err == nil {
		e.command(false)
	}
}

// Close leaves the guard as many times as the flow has entered it. An Enter that waits isn't answered.
func (e *Envoy) Close() {
	e.decided, e.ticket, e.order = true, nil, dyn.Done{}
	e.run.Cancel(nil)
	e.settle()
}

// command gives the innermost section a command, and the run the turns to carry it out.
func (e *Envoy) command(again bool) {
	e.settle() // the turn that let the run in may have ended before the run waited for a command
	e.again = again
	var none binval.Args
	e.quietly(func() { e.order.Success(&none) })
	e.settle()
}

// quietly calls complete, and keeps the loop from scheduling a turn of the run meanwhile: the caller gives the run that turn.
func (e *Envoy) quietly(complete func()) {
	if e.turns == nil {
		complete()
		return
	}
	e.turns(true)
	complete()
	e.turns(false)
}

func (e *Envoy) decide(err error) {
	if e.decided {
		return
	}
	e.decided, e.err, e.ticket = true, err, nil
	e.answer(err)
}

// Ended implements dyn.Owner.
func (e *Envoy) Ended(error, bool) {
	e.over = true
	e.ended()
}

// The steps of an envoy: an attempt runs a section, and the section loops over orders. An order waits for a command and obeys it.
type (
	attempt struct{ e *Envoy }
	section struct{ e *Envoy }
	order   struct{ e *Envoy }
	await   struct{ e *Envoy }
	obey    struct{ e *Envoy }
)

func (b attempt) Exec(s *dyn.Step, _ *binval.Args) { s.Sync(b.e.guard, section(b), dyn.Code{}) }

// Catch ends the attempt, and not the sections around it.
func (b attempt) Catch(s *dyn.Step, err error) bool {
	b.e.decide(err)
	var none binval.Args
	s.Success(&none)
	return true
}

func (b section) Exec(s *dyn.Step, _ *binval.Args) {
	b.e.decide(nil)
	s.Loop(order(b), dyn.Code{}, "")
}

func (b order) Exec(s *dyn.Step, _ *binval.Args) {
	s.Add(await(b), dyn.Code{})
	s.Add(obey(b), dyn.Code{})
}

func (b await) Exec(s *dyn.Step, _ *binval.Args) {
	s.Wait()
	b.e.order = s.Done()
}

func (b obey) Exec(s *dyn.Step, _ *binval.Args) {
	if b.e.again {
		s.Add(attempt(b), dyn.Code{})
	} else {
		s.Leave("", false)
	}
}

func (section) Catch(*dyn.Step, error) bool { return false }
func (order) Catch(*dyn.Step, error) bool   { return false }
func (await) Catch(*dyn.Step, error) bool   { return false }
func (obey) Catch(*dyn.Step, error) bool    { return false }
