package op

import (
	"math"
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// TasksKey identifies a group of tasks by its address: steps that add tasks find the group by it.
type TasksKey struct{ Name string }

// tasks is a step that runs a stage for every value that is in its input or is added while it runs, on a bounded
// number of lanes. A lane is a branch that takes one value after the other, ends when there is none, and begins again
// when there is. In a race a lane ends with each task.
type tasks[A, B, Out any] struct {
	frame.Leaf
	key   *TasksKey
	stage *plan.Stage[A, B]
	bound int
	how   TasksOrder
	give  func([]B) Out
	in    plan.Cell[[]A]
	out   plan.Cell[Out]
	state plan.Cell[backlog[A, B]]
	lane  *frame.Level
}

// TasksOrder selects which results of tasks are kept, and in which order.
type TasksOrder uint8

const (
	ByNumber TasksOrder = iota // all, in the order in which the tasks were added
	ByEnd                      // all, in the order of completion
	ByRace                     // only that of the first task that succeeds
)

type backlog[A, B any] struct {
	roster
	queue []A   // values that no lane has taken
	taken int   // index in queue of the first value that is left
	first int   // number of the task of queue[taken]
	out   []B   // results by number, or in the order of completion
	begun int   // lanes that have begun and have not taken a value yet
	won   []int // in a race, the numbers of the tasks whose results are in out: several may succeed before the race is decided
}

func (s *backlog[A, B]) Clear() {
	s.queue, s.out, s.won = nil, nil, s.won[:0]
	s.roster.Clear()
}

func (o *tasks[A, B, Out]) Exec(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	s.Clear() // left over from other tasks of this level
	s.Follower = o
	in := *o.in.At(f)
	s.Terms = Terms{} // the memory may have been that of a race
	if o.how == ByRace {
		if len(in) == 0 {
			return f.Fail(fault.New(fault.InvalidRequest, "Tasks "+o.key.Name+": there is no task to succeed"))
		}
		s.Terms = Terms{Wins: 1, Losses: math.MaxInt}
	}
	if o.how == ByEnd {
		f.KeepOrder() // no step begins while the result of a task that has succeeded isn't in out yet
	}
	s.queue = append(s.queue, in...) // the caller keeps its slice
	s.taken, s.first, s.begun = 0, 0, 0
	s.open(min(len(in), o.bound)) // further lanes are added when they are needed
	return f.Fork(&s.Fork)
}

// Follow implements frame.Follower: it finds the lanes that have ended, and begins lanes for the values that wait.
func (o *tasks[A, B, Out]) Follow(f *frame.Frame, i int) {
	s := o.state.At(f)
	if i < 0 {
		s.Idle(len(s.Branches))
	}
	s.collect()
	o.begin(f, s)
}

func (o *tasks[A, B, Out]) begin(f *frame.Frame, s *backlog[A, B]) {
	for len(s.queue)-s.taken > s.begun && s.begin(f, o.lane, o.bound) {
		s.begun++
	}
}

// take removes the oldest value and returns it with the number of its task. ok is false if there is none.
func (s *backlog[A, B]) take() (v A, number int, ok bool) {
	if s.taken == len(s.queue) {
		return v, 0, false
	}
	v, number = s.queue[s.taken], s.first
	var zero A
	s.queue[s.taken] = zero
	s.taken++
	s.first++
	if s.taken >= 32 && s.taken > len(s.queue)/2 { // so that fewer values are moved than were taken
		n := copy(s.queue, s.queue[s.taken:])
		clear(s.queue[n:])
		s.queue, s.taken = s.queue[:n], 0
	}
	return v, number, true
}

func (o *tasks[A, B, Out]) put(s *backlog[A, B], number int, v B) {
	if o.how != ByNumber {
		s.out = append(s.out, v)
		return
	}
	for number >= len(s.out) {
		var zero B
		s.out = append(s.out, zero)
	}
	s.out[number] = v
}

func (o *tasks[A, B, Out]) Resume(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	out := s.out
	if out == nil {
		out = []B{}
	}
	if o.how == ByRace {
		won := slices.Index(s.won, s.Won(0))
		out = out[won : won+1]
	}
	*o.out.At(f) = o.give(out)
	f.Join(&s.Fork)
	s.Clear()
	return frame.Done
}

// Winners implements frame.Racer.
func (o *tasks[A, B, Out]) Winners(f *frame.Frame) []int {
	if k := &o.state.At(f).Fork; o.how == ByRace && k.Decided() {
		return []int{k.Won(0)}
	}
	return nil
}

// add adds v. mine is false if the step has another key, or its handler was asked; added is also false if the step is being
// left.
func (o *tasks[A, B, Out]) add(f *frame.Frame, key *TasksKey, v A) (mine, added bool) {
	if key != o.key || f.Handled() {
		return false, false
	}
	if !f.Forks() {
		return true, false
	}
	s := o.state.At(f)
	s.queue = append(s.queue, v)
	o.begin(f, s)
	f.Run().GoOn() // the task may have been added by a part of the run
	return true, true
}

// AddTask adds v to the tasks of the nearest step with the given key around the step of place. If there is no such step, if
// it is being left, or if the step of place has ended, AddTask reports false, and the call breaks a rule (E7).
func AddTask[A any](place plan.Place, key *TasksKey, v A) bool {
	ref := place.Ref()
	f := ref.Frame()
	if f == nil {
		return false
	}
	mine, added := false, false
	f.Outwards(func(f *frame.Frame) bool {
		op := f.Op()
		if h, ok := op.(handles); ok {
			op = h.handled()
		}
		if o, ok := op.(interface {
			add(f *frame.Frame, key *TasksKey, v A) (mine, added bool)
		}); ok {
			mine, added = o.add(f, key, v)
		}
		return !mine
	})
	name := "(the zero Tasks)"
	if key != nil {
		name = key.Name
	}
	switch {
	case !mine:
		ref.Break("adds a task to " + name + ", but is no part of one")
	case !added:
		ref.Break("adds a task to " + name + ", which is being left")
	}
	return added
}

type taskLane[A, B, Out any] struct {
	frame.Leaf
	all    *tasks[A, B, Out]
	lane   plan.Cell[int32]
	number plan.Cell[int] // number of the task
}

func (l *taskLane[A, B, Out]) Exec(f *frame.Frame) frame.Verdict {
	s := l.all.state.At(f.Forker())
	s.begun--
	if l.all.how == ByRace {
		f.Hold()
	}
	return l.next(f, s)
}

// Release frees the lane of a task that is left.
func (l *taskLane[A, B, Out]) Release(f *frame.Frame) {
	s := l.all.state.At(f.Forker())
	s.ends = append(s.ends, *l.lane.At(f))
}

func (l *taskLane[A, B, Out]) next(f *frame.Frame, s *backlog[A, B]) frame.Verdict {
	v, number, ok := s.take()
	if !ok {
		s.ends = append(s.ends, *l.lane.At(f))
		return frame.Done
	}
	*l.number.At(f) = number
	f.Fiber().Index(number)
	sub, err := l.all.stage.Prepare(f, v)
	if err != nil {
		return f.Fail(err)
	}
	return f.Take(sub)
}

func (l *taskLane[A, B, Out]) Resume(f *frame.Frame) frame.Verdict {
	s := l.all.state.At(f.Forker())
	number := *l.number.At(f)
	l.all.put(s, number, *plan.OutputOf[B](f.Ended()))
	if l.all.how == ByRace {
		s.won = append(s.won, number)
		f.Unhold()
		return frame.Done
	}
	return l.next(f, s)
}

// Tasks runs s for every value of its input and for values that are added meanwhile. It runs up to bound of them
// at a time, or all if bound is below zero. how selects the results that are kept, and give makes the result of the
// step from these.
func Tasks[A, B, Out any](key *TasksKey, bound int, how TasksOrder, s *plan.Stage[A, B], give func([]B) Out) *plan.Stage[[]A, Out] {
	n := plan.NewNode[[]A, Out]("tasks", func(e *plan.Emitter, n *plan.Node) {
		o := &tasks[A, B, Out]{key: key, stage: s, bound: bound, how: how, give: give, in: plan.Input[[]A](e), state: plan.State[backlog[A, B]](e)}
		o.out = plan.Output[Out](e)
		lanes := plan.NewNode[int32, int32]("lane", func(e *plan.Emitter, lanes *plan.Node) {
			lane := plan.Input[int32](e)
			e.Keep()
			e.Op(lanes, &taskLane[A, B, Out]{all: o, lane: lane, number: plan.NewCell[int](e)})
		})
		plan.Level[int32](e, lanes, func(e *plan.Emitter, level plan.Emitted) {
			level.Hide, level.Lane = true, true
			o.lane = level.Level
			e.Apart(s.Node(), plan.Element, func(e *plan.Emitter, element plan.Held) { e.Op(n, o, element) })
		})
	}, s.Node())
	given := bound
	n.Tell(func() []plan.Parameter { return []plan.Parameter{plan.AtMost("bound", given)} })
	if key == nil {
		n.Reject("Tasks: the zero Tasks runs none")
	} else {
		bound = unbounded(n, "Tasks "+key.Name, bound)
	}
	return plan.NewStage[[]A, Out](n)
}
