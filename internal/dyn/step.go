package dyn

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/guard"
)

// The kinds of steps. Loops are steps too: their code is the turn's.
var (
	plain    = &frame.Info{Kind: "add"}
	parallel = &frame.Info{Kind: "parallel"}
	looping  = &frame.Info{Kind: "loop"}
	counting = &frame.Info{Kind: "repeat"}
	guarded  = &frame.Info{Kind: "sync"}
	typed    = &frame.Info{Kind: "stage"}
)

// phase says who may call the methods of a step.
type phase uint8

const (
	adding    phase = iota // not begun: a root or parallel step takes steps
	executing              // its body runs
	catching               // its handler runs
	going                  // its sub-steps run, it waits, or a hook runs
)

// said is what the code has decided so far.
type said uint8

const (
	nothing said = iota
	succeeded
	failed
	left // a turn of a loop
	violated
)

// Step is one dynamic step. A pointer to it is good until the step has ended;
// later its memory is another step's. See [Ref] for what lasts longer.
type Step struct {
	home *home
	at   *level // that it stands in
	info *frame.Info
	body Body
	code Code
	peer Peer

	frame  *frame.Frame // from its begin to its end
	phase  phase
	said   said
	err    error
	signal *frame.Signal // of left
	rule   string        // broken before it began
	out    Args
	ended  func() // end, bound once

	sub      *level   // its sub-steps, or the turn of a loop
	branches []*level // of a parallel step
	fork     frame.Fork

	label string
	count uint64
	turn  uint64
	index uint64 // of the turn whose code it is
	turns bool   // its code is that of turns

	waits bool
	slot  frame.Wait
	gen   uint64 // of the wait
	late  Args   // completed from outside

	guard   guard.Guard
	section guard.Section // of the guard
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
		s.home.drop(&s.at.value) // L4
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

// decide makes of what the code has said how the step goes on.
func (s *Step) decide(f *frame.Frame, implicit frame.Verdict) frame.Verdict {
	s.phase = going
	if s.said == nothing && s.sub == nil && s.waits {
		return frame.Waiting
	}
	_ = s.shut(f) // the code has decided otherwise
	switch {
	case s.said == violated:
		return frame.Silent // the machine knows better
	case s.said == failed:
		return f.Fail(s.err)
	case s.said == left:
		s.at.value = s.out.Take() // of a turn that has succeeded before
		return f.Leave(s.signal)
	case s.said == succeeded:
		s.at.value = s.out.Take()
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
		if err := s.shut(f); err != nil {
			return f.Fail(err)
		}
		s.at.value = s.out.Take()
		return frame.Done
	case f.Handled():
		return s.result()
	}
	switch s.info {
	case parallel:
		return frame.Done
	case looping, counting:
		if g := f.Signal(); g != nil && !g.Again {
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

// result is that of the last sub-step (O2).
func (s *Step) result() frame.Verdict {
	s.at.value = s.sub.value.Take()
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

// Loops implements frame.Op. A label of another world is the same if its name is.
func (s *Step) Loops(g *frame.Signal) bool {
	return (s.info == looping || s.info == counting) &&
		(g.Label == nil || s.label != "" && g.Label.Name == s.label)
}

// forget drops what the code has collected, and the sub-steps that have ended.
func (s *Step) forget() {
	if s.sub != nil {
		s.sub.release()
		s.sub = nil
	}
	s.said, s.err, s.signal, s.waits = nothing, nil, nil, false
	s.home.drop(&s.out)
	s.home.drop(&s.late)
}

// end is the last of the step's cleanups: it has ended, in whatever way (S3).
func (s *Step) end() {
	s.forget()
	s.frame = nil
	s.phase = adding
	if p := s.peer; p != nil {
		s.peer = nil
		p.Leave()
	}
}

// release gives the step's memory back.
func (s *Step) release() {
	for i, b := range s.branches {
		b.release()
		s.branches[i] = nil
	}
	s.branches = s.branches[:0]
	if p := s.peer; p != nil { // never begun
		s.peer = nil
		p.Leave()
	}
	s.at, s.info, s.body, s.code, s.native = nil, nil, nil, Code{}, nil
	s.guard = guard.Guard{}
	s.phase, s.rule, s.label, s.count, s.turn, s.index, s.turns = adding, "", "", 0, 0, 0, false
	s.home.steps = append(s.home.steps, s)
}
