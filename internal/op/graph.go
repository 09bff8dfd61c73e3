package op

import (
	"slices"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/site"
)

// graph is a step whose branches, called vertices, take each other's results (P7).
type graph[In, Out any] struct {
	frame.Leaf
	drawing *Drawing
	levels  []*frame.Level
	result  func(Values) Out
	in      plan.Cell[In]
	out     plan.Cell[Out]
	state   plan.Cell[pending]
}

type pending struct {
	branches
	needs []int32 // for each vertex, how many results it still waits for
}

// Clear drops the Follower and the errors. It also drops the memory for branches if that is very large.
func (s *pending) Clear() {
	s.Follower = nil
	s.branches.Clear()
	if cap(s.needs) > kept {
		s.needs = nil
	}
}

// Values gives access to the input of a graph and the results of the vertices that have
// succeeded.
type Values struct {
	in   any // a pointer to the input of the graph
	fork *frame.Fork
}

func input[In any](v Values) In { return *v.in.(*In) }

// frame returns the frame that holds the result of vertex i.
func (v Values) frame(i int) *frame.Frame { return v.fork.Branches[i].Root() }

func (o *graph[In, Out]) values(f *frame.Frame) Values {
	return Values{o.in.At(f), &o.state.At(f).Fork}
}

func (o *graph[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	s.Follower = o
	s.Grow(len(o.levels))
	s.needs = append(s.needs[:0], o.drawing.needs...)
	return f.Fork(&s.Fork)
}

// Follow implements frame.Follower.
func (o *graph[In, Out]) Follow(f *frame.Frame, i int) {
	s := o.state.At(f)
	if i < 0 {
		for j, needs := range s.needs {
			if needs == 0 {
				o.begin(f, s, j)
			}
		}
		return
	}
	for _, j := range o.drawing.vertices[i].next {
		if s.needs[j]--; s.needs[j] == 0 {
			o.begin(f, s, j)
		}
	}
}

func (o *graph[In, Out]) begin(f *frame.Frame, s *pending, i int) {
	b := f.Open(o.levels[i])
	o.drawing.vertices[i].give(o.values(f), b)
	s.Branches[i].Call(b)
	f.Begin(i)
}

func (o *graph[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	v := o.values(f)
	*o.out.At(f) = o.result(v)
	f.Join(v.fork)
	return frame.Done
}

// Graph returns a step that runs the graph d and has the given result. Nothing can be added to d afterwards.
func Graph[In, Out any](d *Drawing, result Ref[Out]) *plan.Stage[In, Out] {
	emit := drawn[In](d, result)
	if result.drawing == d && result.bad == nil {
		d.finish(result.from, nil)
	} else {
		bad := result.bad
		if bad == nil {
			what := "Graph: the function returned a Ref of another graph"
			if result.drawing == nil {
				what = "Graph: the function returned the zero Ref"
			}
			bad = wrong(site.Here(), what)
		}
		d.finish(nil, bad)
		d.bad = slices.Concat(bad, d.bad)
		emit = emitMissing[Out]
	}
	kids := make([]*plan.Node, 0, len(d.vertices)+len(d.bad))
	for _, v := range d.vertices {
		kids = append(kids, v.node)
	}
	n := plan.NewNode[In, Out]("graph", emit, append(kids, d.bad...)...)
	return plan.NewStage[In, Out](n)
}

func drawn[In, Out any](d *Drawing, result Ref[Out]) func(*plan.Emitter, *plan.Node) {
	return func(e *plan.Emitter, n *plan.Node) {
		o := &graph[In, Out]{
			drawing: d, levels: make([]*frame.Level, len(d.vertices)), result: result.get,
			state: plan.State[pending](e),
		}
		holds := make([]plan.Held, len(d.vertices))
		e.Then(func(e *plan.Emitter) {
			o.in = plan.Input[In](e)
			o.out = plan.Output[Out](e)
			s := e.Step(n, o, holds...)
			if e.Tells() {
				s.Edges = d.edges(result.from)
			}
			e.Add(s)
		})
		for i, v := range d.vertices {
			v.level(e, func(_ *plan.Emitter, level plan.Emitted) {
				o.levels[i], holds[i] = level.Level, plan.Held{Role: plan.Branch, Node: v.node, Steps: level.Steps}
			})
		}
	}
}

// edges lists the vertices whose results each vertex takes and, in the last entry, those that the result of the graph is
// made of.
func (d *Drawing) edges(result []int) [][]int {
	edges := make([][]int, 0, len(d.vertices)+1)
	for _, v := range d.vertices {
		edges = append(edges, slices.Clone(v.from))
	}
	return append(edges, slices.Clone(result))
}
