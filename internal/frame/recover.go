package frame

import (
	"fmt"
	"runtime/debug"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/usercode"
)

// shielded calls work until the turn is over. It reports false after a panic, when there may be more to do. It is the only
// function of the package that recovers.
//
// A deferred function that Goexit runs may panic. recover stops that panic, but the goroutine ends all the same, and recover
// doesn't tell. So shielded prepares another turn after each panic, and recovered takes that turn back if the goroutine goes
// on.
func (r *Run) shielded(p *budget) (over bool) {
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover()
		defer func() { r.interrupted(v == nil) }() // deferred: panicked may end the goroutine too
		if v != nil {
			r.panicked(&fault.Panic{Value: v, Stack: debug.Stack()})
			return
		}
		if !r.ahead && !r.hasEnded {
			r.panicked(usercode.ErrGoexit)
		}
	}()
	r.work(p)
	returned = true
	return true
}

// interrupted prepares another turn, which goes on with the run if the goroutine ends. A loop that refuses that turn is reported
// only if the goroutine is known to end: otherwise the turn that was interrupted goes on.
func (r *Run) interrupted(exits bool) {
	r.inTurn = false
	r.unseal()
	if r.tool == nil {
		return
	}
	if err := r.loop.PostHere(&r.here); err != nil && exits {
		r.lost(err)
	}
}

// recovered lets the turn that a panic has interrupted go on, because the goroutine hasn't ended.
func (r *Run) recovered() {
	r.inTurn = true
	if r.here.Queued() {
		r.loop.Withdraw(&r.here)
	}
}

// panicked turns a panic or a Goexit into an error (E4). In a body, or in a cleanup after success, that is the error of the
// step; in a handler it is the handler's answer; in a hook or a cleanup of a step that is being left it is a secondary error.
func (r *Run) panicked(cause error) {
	doing := r.doing
	r.doing = stepping
	if in := r.endedLevel; in != nil { // a Resume has panicked
		r.endedLevel = nil
		r.release(in)
	}
	if doing == reporting || doing == quitting {
		r.doing = doing // work ends the run
		if e, ok := r.record.result.(*fault.Error); ok {
			e.Secondary = append(e.Secondary, fault.Wrap(fault.InternalError, "an error could not be asked for its text", cause))
		}
		return
	}
	s := r.cur
	switch {
	case s.top != nil:
	case s.mode == raising: // a method of its error has broken off in depart, which is called again
		return
	default:
		panic(fmt.Errorf("asyncsteps: defect in the machine: %w", cause))
	}
	what := " panicked"
	if cause == usercode.ErrGoexit {
		what = " ended its goroutine"
	}
	err := s.top.located(fault.InternalError, "step "+s.top.label()+what, cause)
	switch {
	case s.mode == running:
		r.fail(s, err)
	case doing == handling:
		s.top.void()
		asked := s.err
		s.trail.also(asked) // nobody has answered it
		s.trail.raised()
		s.trail.answered(fault.Replaced)
		s.err = err
		r.remember(err)
		r.next = s
		r.publishHandled(s.top, fault.Replaced, asked) // after all moves: the Watch may end the goroutine
		r.publish(Raised, s.top, err)
	default:
		s.trail.defect(err)
		r.next = s
	}
}
