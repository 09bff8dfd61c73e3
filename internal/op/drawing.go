package op

import (
	"slices"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/site"
)

// Drawing is a graph. One goroutine adds its vertices; after that they don't change.
type Drawing struct {
	vertices []*vertex
	needs    []int32      // for each vertex, how many results of other vertices it takes
	bad      []*plan.Node // nodes with the errors of the graph
	drawn    bool         // finished: no vertex is added any more
}

// vertex is a stage whose input comes from the graph.
type vertex struct {
	node  *plan.Node
	made  plan.Origin
	from  []int // the vertices whose results its input is made of; Outside is the input of the graph
	next  []int // vertices that take its result; a vertex that takes it twice is listed twice
	level func(*plan.Emitter, func(*plan.Emitter, plan.Emitted))
	give  func(Values, *frame.Activation)
}

// Outside stands for the input of the graph in a list of vertices.
const Outside = -1

// Ref refers to a value of a graph, which is a T.
type Ref[T any] struct {
	lineage

	get func(Values) T // may be nil if the lineage is bad or zero
}

// lineage lists the vertices that a value of a graph is made of.
type lineage struct {
	drawing *Drawing     // the graph to which misuse of the value is reported; nil if there is none
	bad     []*plan.Node // why the value doesn't exist; nil if it does
	from    []int        // the vertices, in the order in which they were joined; Outside is the input of the graph
}

// Enter returns the Ref of the input of the graph d.
func Enter[In any](d *Drawing) Ref[In] {
	return Ref[In]{lineage{drawing: d, from: []int{Outside}}, input[In]}
}

// Vertex adds s, whose input is in, to the graph that in belongs to.
func Vertex[In, Out any](in Ref[In], s *plan.Stage[In, Out]) Ref[Out] {
	made := site.Here()
	l := in.taken("Node: the Ref", made)
	if l.bad != nil {
		l.bad = slices.Concat(l.bad, []*plan.Node{s.Node()}) // report what is wrong with s as well
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

// Join returns the Ref of a value that the parameter both makes of the values of a and b. caller is the name of the function
// that calls Join, for errors.
func Join[A, B, T any](caller string, a Ref[A], b Ref[B], both func(A, B) T) Ref[T] {
	l := together(caller+": the Ref", site.Here(), a.lineage, b.lineage)
	return Ref[T]{l, func(v Values) T { return both(a.get(v), b.get(v)) }}
}

// together returns the lineage of a value that is made of the values of all. The errors that it makes begin with subject,
// such as "Join2: the Ref".
func together(subject string, made plan.Origin, all ...lineage) lineage {
	var l lineage
	for _, one := range all {
		one = one.taken(subject, made)
		l.from = append(l.from, one.from...)
		l.bad = append(l.bad, one.bad...)
		switch {
		case l.drawing == nil:
			l.drawing = one.drawing
		case one.drawing != nil && one.drawing != l.drawing:
			l.bad = append(l.bad, wrong(made, subject+" is of another graph")...)
			one.drawing.bad = append(one.drawing.bad, l.bad...)
		}
	}
	return l.spoilt()
}

// taken returns l if its value may be used: the value exists, and its graph is still being built. Otherwise taken returns
// a lineage whose field bad has the reason. An error that taken makes begins with subject, and has made as its place in the
// source.
func (l lineage) taken(subject string, made plan.Origin) lineage {
	switch {
	case l.bad != nil:
	case l.drawing == nil:
		l.bad = wrong(made, subject+" is zero")
	case l.drawing.drawn:
		return lineage{bad: wrong(made, subject+" is of a graph that is complete: its function has returned")}
	}
	return l
}

// spoilt reports what is wrong with l, if anything, to its graph, and returns l.
func (l lineage) spoilt() lineage {
	if l.drawing != nil {
		l.drawing.bad = append(l.drawing.bad, l.bad...)
	}
	return l
}

func wrong(made plan.Origin, reason string) []*plan.Node {
	n := &plan.Node{Info: site.Info{Kind: "node", Made: made}}
	n.Reject(reason)
	return []*plan.Node{n}
}

// finish ends the drawing, whose result is made of the vertices that the slice result lists. It adds an error to d.bad for
// each vertex whose result nothing takes, unless there is another error, which may explain that: in d.bad, or in bad, whose
// errors the caller adds.
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
