package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Elements gives a crew its elements and gets their results. It serves one run and is called on its loop.
type Elements[A, B any] interface {
	// Begun hands over the lanes, which wait for elements.
	Begun(lanes Lanes)
	// Next returns an element and its number. ok is false if none may begin now.
	Next() (v A, number int32, ok bool)
	// Done gets the result of the element with the given number.
	Done(number int32, out B)
	// Failed gets the error of the element with the given number, and the path of its branch.
	Failed(number int32, err error, path string)
}

// crew is a step that runs a stage for elements that come while it runs, on a bounded number of lanes. A lane is a
// branch that takes one element after the other, ends when there is none, and begins again when there is. An error of
// an element doesn't fail the step, which never ends by itself.
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
	Limit    int // the greatest number of lanes, at least one
}

type lanes struct {
	roster
	begun int // elements that have begun
	most  int // the greatest number of lanes
}

// manyLanes bounds how many lanes a crew makes when it begins. The crew adds others when it needs them.
const manyLanes = 64

// Lanes starts the lanes of a crew. The zero Lanes starts none.
type Lanes struct {
	f     *frame.Frame
	lane  *frame.Level
	state *lanes
}

// Begin begins up to n lanes, idle or new ones. Each of them asks for an element when it runs. Begin must be called in a turn
// of the run, before the crew is left.
func (l Lanes) Begin(n int) {
	if l.f == nil || !l.f.Forks() {
		return
	}
	for n > 0 && l.state.begin(l.f, l.lane, l.state.most) {
		n--
	}
}

func (o *crew[A, B]) Exec(f *frame.Frame) frame.Verdict {
	s, in := o.state.At(f), o.in.At(f)
	s.Clear() // left over from another crew of this level
	s.Follower = o
	s.begun, s.most = 0, in.Limit
	s.open(min(in.Limit, manyLanes))
	return f.Fork(&s.Fork)
}

// Follow implements frame.Follower. When the crew begins, Follow passes the lanes to the Elements; later it finds the lanes
// that have ended.
func (o *crew[A, B]) Follow(f *frame.Frame, i int) {
	s := o.state.At(f)
	if i < 0 {
		// The idle lanes are counted as live, so that the step doesn't end by itself.
		o.in.At(f).Elements.Begun(Lanes{f, o.lane, s})
		return
	}
	s.collect()
}

type crewLane[A, B any] struct {
	all    *crew[A, B]
	lane   plan.Cell[int32]
	number plan.Cell[int32] // number of the element that the lane has taken
}

func (l *crewLane[A, B]) Exec(f *frame.Frame) frame.Verdict {
	return l.next(f, l.all.in.At(f.Forker()).Elements)
}

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
func (*crewLane[A, B]) Loops(*frame.Jump) bool { return false }

// NewCrew makes the stage that runs s for the elements of its input.
func NewCrew[A, B any](s *plan.Stage[A, B]) *plan.Stage[Crew[A, B], struct{}] {
	n := plan.NewNode[Crew[A, B], struct{}]("crew", func(e *plan.Emitter, n *plan.Node) {
		o := &crew[A, B]{stage: s, in: plan.Input[Crew[A, B]](e), state: plan.State[lanes](e)}
		e.Keep() // the lanes read the input
		plan.Output[struct{}](e)
		lane := plan.NewNode[int32, int32]("lane", func(e *plan.Emitter, lane *plan.Node) {
			number := plan.Input[int32](e)
			e.Keep()
			e.Op(lane, &crewLane[A, B]{all: o, lane: number, number: plan.NewCell[int32](e)})
		})
		plan.Level[int32](e, lane, func(e *plan.Emitter, level plan.Emitted) {
			level.Hide, level.Lane = true, true
			o.lane = level.Level
			e.Op(n, o)
		})
	}, s.Node())
	return plan.NewStage[Crew[A, B], struct{}](n)
}
