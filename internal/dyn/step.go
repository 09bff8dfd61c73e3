package dyn

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/internal/site"
)

// The kinds of steps. A loop is a step too, whose code is the body of the loop.
var (
	plain    = &site.Info{Kind: "add"}
	parallel = &site.Info{Kind: "parallel"}
	looping  = &site.Info{Kind: "loop"}
	counting = &site.Info{Kind: "repeat"}
	guarded  = &site.Info{Kind: "sync"}
	typed    = &site.Info{Kind: "stage"}
)

// phase tells which code of the step runs, and so which methods it may call.
type phase uint8

const (
	adding    phase = iota // the step hasn't begun, or has ended; a root or a parallel step takes steps
	executing              // the body runs
	catching               // the error handler runs
	going                  // the sub-steps run, the step waits, or its hook or cleanups run
)

// said is the outcome that the code has asked for so far.
type said uint8

const (
	nothing said = iota
	succeeded
	failed
	left // Leave was called
	violated
)

// Step is one dynamic step. A pointer to it is valid until the step has ended; then its memory may be used for
// another step. [Done] and [Root] stay usable longer.
type Step struct {
	home *home
	at   *level // the level that the step stands in
	info *site.Info
	body Body
	code Code
	peer Peer

	frame *frame.Frame // nil before the step has begun and after it has ended
	phase phase
	said  said
	err   error
	jump  *frame.Jump // the break or continue that Leave asks for
	rule  string      // the rule that was broken before the step began; "" if none
	out   Args
	ended func() // the method end, bound once to save allocations

	sub      *level   // the sub-steps; of a loop or a guarded step, the level of the one step that runs its code
	branches []*level // of a parallel step
	fork     frame.Fork

	label string
	count uint64
	turn  uint64
	index uint64 // the number of the current iteration, if the step executes iterations
	turns bool   // the step runs the code of a loop, once for each iteration; false for the loop step around it

	waits bool
	slot  frame.Wait
	gen   uint64 // the generation of the wait
	late  Args   // the values of a completion from outside

	guard   guard.Guard
	section guard.Section // the step's section of guard
	native  Typed
}

// Exec implements frame.Op.
func (s *Step) Exec(f *frame.Frame) frame.Verdict {
	s.frame = f
	s.phase = going
	f.Defer(s.ended)
	if s.rule != "" {
		return s.break_(s.rule)
	}
	switch s.info {
	case parallel:
		return s.split(f)
	case looping, counting:
		s.home.drop(&s.at.value) // values don't enter a loop (L4)
		return s.next(f)
	case guarded:
		return s.ask(f)
	case typed:
		return s.native.Enter(f, &s.at.value)
	default:
		s.phase = executing
		s.body.Exec(s, &s.at.value)
		s.home.drop(&s.at.value)
		return s.decide(f, frame.Done)
	}
}

// decide returns how the step goes on after its code has returned. implicit is the verdict if the code has asked for
// nothing. A handler that has only asked for a wait has no answer (E2).
func (s *Step) decide(f *frame.Frame, implicit frame.Verdict) frame.Verdict {
	handled := s.phase == catching
	s.phase = going
	if s.said == nothing && s.sub == nil && s.waits && !handled {
		return frame.Waiting
	}
	s.shut(f)
	switch {
	case s.said == violated:
		return frame.Silent // Break has told the machine of the violation
	case s.said == failed:
		return f.Fail(s.err)
	case s.said == left:
		Move(&s.at.value, &s.out) // the values of an iteration that called Success before Leave
		return f.Jump(s.jump)
	case s.said == succeeded:
		Move(&s.at.value, &s.out)
		return frame.Done
	case s.sub != nil:
		return f.Enter(&s.sub.Frame)
	default:
		return implicit
	}
}

// Resume implements frame.Op.
func (s *Step) Resume(f *frame.Frame) frame.Verdict {
	switch {
	case s.waits:
		s.waits = false
		if err := s.slot.Close(f); err != nil {
			return unsuccessful(f, err)
		}
		Move(&s.at.value, &s.late)
		return frame.Done
	case f.Handled():
		return s.result()
	}
	switch s.info {
	case parallel:
		return frame.Done
	case looping, counting:
		if g := f.Landed(); g != nil && !g.Again {
			return s.result()
		}
		s.home.drop(&s.sub.value)
		return s.next(f)
	case guarded:
		return s.resumeGuarded(f)
	case typed:
		return s.native.Leave(f, &s.at.value)
	default:
		return s.result()
	}
}

// result makes the result of the last sub-step that of the step (O2).
func (s *Step) result() frame.Verdict {
	Move(&s.at.value, &s.sub.value)
	return frame.Done
}

// Handle implements frame.Op.
func (s *Step) Handle(f *frame.Frame, err error) frame.Verdict {
	if s.info != plain && s.info != parallel {
		return frame.Unhandled
	}
	s.forget()
	s.phase = catching
	if !s.body.Catch(s, err) {
		s.phase = going
		return frame.Unhandled
	}
	return s.decide(f, frame.Silent)
}

// Loops implements frame.Op. Labels are compared by name, so that a jump of a typed plan finds its loop here.
func (s *Step) Loops(g *frame.Jump) bool {
	return (s.info == looping || s.info == counting) &&
		(g.Label == nil || s.label != "" && g.Label.Name == s.label)
}

// forget drops the outcome that the code has asked for, and the sub-steps that have ended.
func (s *Step) forget() {
	if s.sub != nil {
		s.sub.release()
		s.sub = nil
	}
	s.said, s.err, s.jump, s.waits = nothing, nil, nil, false
	s.home.drop(&s.out)
	s.home.drop(&s.late)
}

// end is the last of the step's cleanups. It runs when the step has ended in any way (S3).
func (s *Step) end() { s.home.finish(s.leave) }

// leave does the work of end. A call goes on where a former one was cut off; see finish.
func (s *Step) leave() {
	s.forget()
	s.frame = nil
	s.phase = adding
	if p := s.peer; p != nil {
		s.peer = nil
		p.Leave()
	}
}

func (s *Step) release() {
	for i, b := range s.branches {
		if b != nil {
			b.release()
			s.branches[i] = nil
		}
	}
	s.branches = s.branches[:0]
	if p := s.peer; p != nil { // the step has never begun, so no step is to blame for a panic
		s.peer = nil
		s.home.host.Call(p.Leave)
	}
	s.at, s.info, s.body, s.code, s.native = nil, nil, nil, Code{}, nil
	s.guard = guard.Guard{}
	s.phase, s.rule, s.label, s.count, s.turn, s.index, s.turns = adding, "", "", 0, 0, 0, false
	s.home.steps = append(s.home.steps, s)
}
