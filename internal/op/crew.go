package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Elements is the source of the elements of a crew, in one run and on its loop.
type Elements[A, B any] interface {
	// Begun hands over the lanes, which wait for elements.
	Begun(lanes Lanes)
	// Next takes an element. ok is false if none may begin now.
	Next() (v A, number int32, ok bool)
	// Done gets the result of the element with that number.
	Done(number int32, out B)
	// Failed gets the error of the element with that number, and the path of the step that
	// failed.
	Failed(number int32, err error, path string)
}

// crew is a step that runs a stage for elements that come while it runs, on a bounded number
// of lanes: branches, each of which takes one element after the other, ends when there is
// none, and begins again. An error of an element doesn't fail the step. The step never ends by
// itself.
type crew[A, B any] struct {
	frame.Leaf
	stage *plan.Stage[A, B]
	in    plan.Cell[Crew[A, B]]
	state plan.Cell[lanes]
	lane  *frame.Level
}

// Crew is the input of a crew.
type Crew[A, B any] struct {
	Elements Elements[A, B]
	Limit    int // how many lanes there are at most, at least one
}

// lanes is the state of a crew.
type lanes struct {
	branches
	idle  []int32 // lanes that have ended, or have never begun
	ends  []int32 // lanes that are about to end
	begun int     // elements that have begun
	lanes int     // how many lanes there are
	most  int     // how many there may be
}

// manyLanes is how many lanes a crew has at once, if it may have so many; others are added when they are needed.
const manyLanes = 64

// Clear drops the lanes if they are too many to keep.
func (s *lanes) Clear() {
	s.Follower = nil
	s.ends, s.begun = s.ends[:0], 0
	if s.idle = s.idle[:0]; cap(s.idle) > kept {
		s.idle, s.ends = nil, nil
	}
	s.branches.Clear()
}

// Lanes starts the lanes of a crew. The zero Lanes starts none.
type Lanes struct {
	f     *frame.Frame
	lane  *frame.Level
	state *lanes
}

// Begin begins up to n idle lanes; each takes an element in its turn. It must be called on the
// loop, by a step of the run, before the crew is left.
func (l Lanes) Begin(n int) {
	if l.f == nil || !l.f.Forks() {
		return
	}
	s := l.state
	for ; n > 0; n-- {
		var i int32
		switch last := len(s.idle) - 1; {
		case last >= 0:
			i, s.idle = s.idle[last], s.idle[:last]
		case s.lanes < s.most:
			i = int32(s.Add())
			s.lanes++
		default:
			return
		}
		if b := s.Branch(int(i)); !b.HasRoot() {
			b.Call(open(l.f, l.lane, i))
		}
		l.f.Again(int(i))
	}
}

func (o *crew[A, B]) Exec(f *frame.Frame) frame.Verdict {
	s, in := o.state.At(f), o.in.At(f)
	s.Clear() // left over from another crew of this level
	s.Follower = o
	s.lanes, s.most = min(in.Limit, manyLanes), in.Limit
	s.Grow(s.lanes)
	for i := range s.lanes {
		s.idle = append(s.idle, int32(s.lanes-1-i)) // Begin takes lanes from the end
	}
	return f.Fork(&s.Fork)
}

// Follow implements frame.Follower: it finds the lanes that have ended.
func (o *crew[A, B]) Follow(f *frame.Frame, i int) {
	s := o.state.At(f)
	if i < 0 {
		s.Idle(len(s.Branches) - 1) // all are idle, but one is counted as live, so that the step doesn't end by itself
		o.in.At(f).Elements.Begun(Lanes{f, o.lane, s})
		return
	}
	still := s.ends[:0]
	for _, lane := range s.ends {
		if s.HasEnded(int(lane)) {
			s.idle = append(s.idle, lane)
		} else {
			still = append(still, lane)
		}
	}
	s.ends = still
}

// crewLane is the only op of a lane.
type crewLane[A, B any] struct {
	all    *crew[A, B]
	lane   plan.Cell[int32]
	number plan.Cell[int32] // number of the element that the lane has taken
}

func (l *crewLane[A, B]) Exec(f *frame.Frame) frame.Verdict {
	return l.next(f, l.all.in.At(f.Forker()).Elements)
}

// next begins the next element, or ends the lane.
func (l *crewLane[A, B]) next(f *frame.Frame, all Elements[A, B]) frame.Verdict {
	s := l.all.state.At(f.Forker())
	v, number, ok := all.Next()
	if !ok {
		s.ends = append(s.ends, *l.lane.At(f))
		return frame.Done
	}
	*l.number.At(f) = number
	f.Fiber().Index(s.begun) // for paths
	s.begun++
	sub, err := l.all.stage.Prepare(f, v)
	if err != nil {
		return f.Fail(err)
	}
	return f.Take(sub)
}

func (l *crewLane[A, B]) Resume(f *frame.Frame) frame.Verdict {
	all := l.all.in.At(f.Forker()).Elements
	all.Done(*l.number.At(f), *plan.OutputOf[B](f.Ended()))
	return l.next(f, all)
}

// Handle ends the lane. The lane can't take the next element at once, because the handler of a
// step is asked only once.
func (l *crewLane[A, B]) Handle(f *frame.Frame, err error) frame.Verdict {
	o := f.Forker()
	s := l.all.state.At(o)
	s.ends = append(s.ends, *l.lane.At(f))
	l.all.in.At(o).Elements.Failed(*l.number.At(f), err, f.Path())
	return frame.Done
}

// Loops returns false: break and continue are for loops around the crew.
func (*crewLane[A, B]) Loops(*frame.Signal) bool { return false }

// NewCrew makes the stage that runs s for the elements of its input.
func NewCrew[A, B any](s *plan.Stage[A, B]) *plan.Stage[Crew[A, B], struct{}] {
	var n *plan.Node
	n = plan.NewNode[Crew[A, B], struct{}]("crew", func(e *plan.Emitter) {
		o := &crew[A, B]{stage: s, in: plan.Input[Crew[A, B]](e), state: plan.State[lanes](e)}
		release := e.Keep() // the lanes read it
		plan.Output[struct{}](e)
		var lane *plan.Node
		lane = plan.NewNode[int32, int32]("lane", func(e *plan.Emitter) {
			number := plan.Input[int32](e)
			release := e.Keep()
			e.Op(lane, &crewLane[A, B]{all: o, lane: number, number: plan.NewCell[int32](e)})
			release(e)
		})
		plan.Level[int32](e, lane, func(e *plan.Emitter, level plan.Emitted) {
			level.Hide, level.Lane = true, true
			o.lane = level.Level
			e.Op(n, o)
			release(e)
		})
	}, s.Node())
	return plan.NewStage[Crew[A, B], struct{}](n)
}
