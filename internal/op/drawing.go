package op

import (
	"slices"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Drawing is a graph that is being drawn, by one goroutine.
type Drawing struct {
	vertices []*vertex
	needs    []int32      // by vertex: how many results of vertices it takes
	bad      []*plan.Node // what can't be run, each at its place
	drawn    bool         // nothing is added any more
}

// vertex is a stage whose input comes from the graph.
type vertex struct {
	node  *plan.Node
	made  plan.Origin
	from  []int // what its input is made of, in order: vertices, or Outside
	next  []int // vertices that take its result, as often as they do
	level func(*plan.Emitter, func(*plan.Emitter, plan.Emitted))
	give  func(Values, *frame.Activation)
}

// Outside stands for the input of a graph among what a value is made of.
const Outside = -1

// Ref is where a value of a graph comes from, a T.
type Ref[T any] struct {
	lineage

	get func(Values) T // nil if the lineage is bad
}

// lineage is what a value of a graph is made of.
type lineage struct {
	drawing *Drawing     // that learns what is wrong with the use of the value; nil if there is none
	bad     []*plan.Node // why there is no such value; nil if there is
	from    []int        // vertices, or Outside, in order
}

// Enter is where the input of the graph d comes from.
func Enter[In any](d *Drawing) Ref[In] {
	return Ref[In]{lineage{drawing: d, from: []int{Outside}}, input[In]}
}

// Vertex adds s to the graph of its input in.
func Vertex[In, Out any](in Ref[In], s *plan.Stage[In, Out]) Ref[Out] {
	made := frame.Here()
	l := in.taken("Node: the Ref", made)
	if l.bad != nil {
		l.bad = slices.Concat(l.bad, []*plan.Node{s.Node()}) // in case that there is something wrong with it too
		return Ref[Out]{lineage: l.spoilt()}
	}
	return grow[In, Out](l.drawing, &vertex{
		node: s.Node(), made: made, from: l.from,
		give: func(v Values, a *frame.Activation) { plan.Give(a, in.get(v)) },
	})
}

func grow[In, Out any](d *Drawing, v *vertex) Ref[Out] {
	i := len(d.vertices)
	v.level = func(e *plan.Emitter, then func(*plan.Emitter, plan.Emitted)) { plan.Level[In](e, v.node, then) }
	d.vertices = append(d.vertices, v)
	return Ref[Out]{lineage{drawing: d, from: []int{i}}, func(v Values) Out { return *plan.OutputOf[Out](v.frame(i)) }}
}

// Join is where a value comes from that both makes of those of a and b.
func Join[A, B, T any](what string, a Ref[A], b Ref[B], both func(A, B) T) Ref[T] {
	l := together(what+": the Ref", frame.Here(), a.lineage, b.lineage)
	return Ref[T]{l, func(v Values) T { return both(a.get(v), b.get(v)) }}
}

// together is the lineage of something that takes all of these; what says who that is
// and what it was given.
func together(what string, made plan.Origin, all ...lineage) lineage {
	var l lineage
	for _, one := range all {
		one = one.taken(what, made)
		l.from = append(l.from, one.from...)
		l.bad = append(l.bad, one.bad...)
		switch {
		case l.drawing == nil:
			l.drawing = one.drawing
		case one.drawing != nil && one.drawing != l.drawing:
			l.bad = append(l.bad, wrong(made, what+" is of another graph")...)
			one.drawing.bad = append(one.drawing.bad, l.bad...)
		}
	}
	return l.spoilt()
}

// taken is l as something that is made at the place made may take it.
func (l lineage) taken(what string, made plan.Origin) lineage {
	switch {
	case l.bad != nil:
	case l.drawing == nil:
		l.bad = wrong(made, what+" is zero")
	case l.drawing.drawn:
		return lineage{bad: wrong(made, what+" is of a graph that is complete: its function has returned")}
	}
	return l
}

// spoilt is l, after the graph has learned what is wrong with l, if anything.
func (l lineage) spoilt() lineage {
	if l.drawing != nil {
		l.drawing.bad = append(l.drawing.bad, l.bad...)
	}
	return l
}

// wrong is a node that isn't there, and why.
func wrong(made plan.Origin, what string) []*plan.Node {
	n := &plan.Node{Info: frame.Info{Kind: "node", Made: made}}
	n.Reject(what)
	return []*plan.Node{n}
}

// finish ends drawing: it counts what the vertices need, and refuses those whose
// result nothing takes, unless something else is wrong that explains it.
func (d *Drawing) finish(result []int, bad []*plan.Node) {
	d.drawn = true
	explained := len(d.bad) + len(bad)
	used := make([]bool, len(d.vertices))
	mark := func(from []int) {
		for _, i := range from {
			if i != Outside {
				used[i] = true
			}
		}
	}
	mark(result)
	d.needs = make([]int32, len(d.vertices))
	for i, v := range d.vertices {
		mark(v.from)
		for _, before := range v.from {
			if before != Outside {
				d.needs[i]++
				d.vertices[before].next = append(d.vertices[before].next, i)
			}
		}
	}
	for i, v := range d.vertices {
		if !used[i] && explained == 0 {
			d.bad = append(d.bad, wrong(v.made, "Graph: nothing takes the result of this node")...)
		}
	}
}
