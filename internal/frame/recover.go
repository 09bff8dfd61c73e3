package frame

import (
	"fmt"
	"runtime/debug"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/usercode"
)

// shielded works until the turn is over. It reports false after a panic, when there may be
// more to do. It is the only function of the package that recovers.
func (r *Run) shielded(p *budget) (over bool) {
	returned := false
	defer func() {
		if returned {
			return
		}
		kept := false
		defer func() {
			// If kept is false, user code or a Watch has ended the goroutine. Another turn goes on with the run.
			if !kept {
				r.inTurn = false
				r.unseal()
				r.yield()
			}
		}()
		if v := recover(); v != nil {
			r.panicked(&fault.Panic{Value: v, Stack: debug.Stack()})
			kept = true
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

// panicked turns a panic or a Goexit into an error (E4). In a body, or in a cleanup after success, it
// is the error of the step; in a handler it is the handler's answer; in a hook or a cleanup of a step that
// is being left it is a secondary error.
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
	case s.mode == raising: // its error has ended the goroutine when it was asked
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
		r.publishHandled(s.top, fault.Replaced, asked) // after all moves: it may end the goroutine
		r.publish(Raised, s.top, err)
	default:
		s.trail.defect(err)
		r.next = s
	}
}
