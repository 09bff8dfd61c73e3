package seam

import (
	"slices"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// graph is a step whose branches, its vertices, take each other's results (P7).
type graph[In, Out any] struct {
	frame.Leaf
	draft  *Draft
	levels []*frame.Level
	result func(Values) Out
	in     Cell[In]
	out    Cell[Out]
	state  Cell[pending]
}

// pending is the state of a graph.
type pending struct {
	branches
	needs []int32 // by vertex: how many results it still waits for
}

// Clear drops what the branches refer to, and room for very many of them.
func (s *pending) Clear() {
	s.Follower = nil
	s.branches.Clear()
	if cap(s.needs) > kept {
		s.needs = nil
	}
}

// Values are the input of a graph and the results of the vertices that have
// succeeded.
type Values struct {
	owner *frame.Frame // whose step is the graph
	in    uintptr      // where the input of the graph is in it
	fork  *frame.Fork
}

// input is the input of the graph, an In.
func input[In any](v Values) In { return *at[In](v.owner, v.in) }

// frame has the result of vertex i.
func (v Values) frame(i int) *frame.Frame { return v.fork.Branches[i].Root() }

func (o *graph[In, Out]) values(f *frame.Frame) Values {
	return Values{f, o.in.off, &o.state.At(f).Fork}
}

func (o *graph[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	s.Follower = o
	s.Grow(len(o.levels))
	s.needs = append(s.needs[:0], o.draft.needs...)
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
	for _, j := range o.draft.vertices[i].next {
		if s.needs[j]--; s.needs[j] == 0 {
			o.begin(f, s, j)
		}
	}
}

// begin begins vertex i: what it needs is there.
func (o *graph[In, Out]) begin(f *frame.Frame, s *pending, i int) {
	b := f.Open(o.levels[i])
	o.draft.vertices[i].give(o.values(f), b)
	s.Branches[i].Call(b)
	f.Begin(i)
}

func (o *graph[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	v := o.values(f)
	*o.out.At(f) = o.result(v)
	f.Join(v.fork)
	return frame.Done
}

// Graph is the step that d and its result have drawn. Nothing is added to d later.
func Graph[In, Out any](d *Draft, result Ref[Out]) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("graph", func(e *Emitter) {
		o := &graph[In, Out]{
			draft: d, levels: make([]*frame.Level, len(d.vertices)), result: result.get,
			state: State[pending](e),
		}
		holds := make([]Held, len(d.vertices))
		e.Then(func(e *Emitter) {
			o.in = Input[In](e)
			o.out = Output[Out](e)
			s := e.step(n, o, holds...)
			if e.tells {
				s.Edges = d.edges(result.from)
			}
			e.add(s)
		})
		for i, v := range d.vertices {
			v.level(e, func(_ *Emitter, level Emitted) {
				o.levels[i], holds[i] = level.Level, Held{Branch, v.node, level.Steps}
			})
		}
	})
	for _, v := range d.vertices {
		n.kids = append(n.kids, v.node)
	}
	if result.draft == d && result.bad == nil {
		d.finish(result.from, nil)
	} else {
		bad := result.bad
		if bad == nil {
			what := "Graph: the function returned a Ref of another graph"
			if result.draft == nil {
				what = "Graph: the function returned the zero Ref"
			}
			bad = wrong(n.Made, what)
		}
		d.finish(nil, bad)
		n.kids = append(n.kids, bad...)
		n.emit = func(e *Emitter) { e.Op(n, &value[Out]{out: Output[Out](e)}) }
	}
	n.kids = append(n.kids, d.bad...)
	return NewStage[In, Out](n)
}

// edges says for each vertex, and last for the result, what it is made of.
func (d *Draft) edges(result []int) [][]int {
	edges := make([][]int, 0, len(d.vertices)+1)
	for _, v := range d.vertices {
		edges = append(edges, slices.Clone(v.from))
	}
	return append(edges, slices.Clone(result))
}
