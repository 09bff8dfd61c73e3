package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/step"
)

// Ref stands for a value of a [Graph] that is being built: its input, the result of a node, or several
// of these together. Until the function given to Graph returns, it may use a Ref any number of times. The
// zero Ref stands for nothing.
type Ref[T any] struct{ s op.Ref[T] }

// Graph makes a step of nodes that depend on each other. Graph calls build once, before it
// returns. build adds the nodes: [Node] adds a step that takes a value, and returns a Ref of
// the step's result, which other nodes may take. build returns the Ref of the result of the graph.
//
//	page := flow.Graph(func(request flow.Ref[Request]) flow.Ref[Page] {
//		user := flow.Node(request, findUser)
//		orders := flow.Node(user, findOrders)
//		offers := flow.Node(request, findOffers)
//		return flow.Node(flow.Join3(user, orders, offers), render)
//	})
//
// Each node runs once, as soon as its inputs are there. Nodes are branches like those of [Par]: they interleave on
// the run's loop, and as many are under way as their inputs allow. A node can only take Refs that exist already, so
// there are no cycles. Results are kept until the step ends; a value that several nodes take is copied, so if it is a
// pointer or a map they share what it points to.
//
// Errors, cancellation and concurrency are those of Par: the first node to fail ends the
// others, and those that have not begun never do. The path of a node is graph.N, where N
// counts the calls of Node and [Gather] from 0.
//
// Plan.Err reports a nil step; a node whose result nothing takes; a build that is nil or panics; and a
// Ref of another graph. If a graph takes a value that was made of the zero Ref, or of a Ref whose own
// graph was complete by then, Plan.Err of the graph that takes the value reports that.
//
//spec:ftn12 §1.4, §2.2.1 parallel; rule P7
func Graph[In, Out any](build func(in Ref[In]) Ref[Out]) Plan[In, Out] {
	if build == nil {
		return Plan[In, Out]{op.Missing[In, Out]("Graph: the function is nil")}
	}
	d := new(op.Drawing)
	var out Ref[Out]
	bad := ""
	usercode.Protect(func() { out = build(Ref[In]{op.Enter[In](d)}) }, func(broken error) {
		if broken != nil {
			bad = "Graph: the function failed: " + broken.Error()
		}
	})
	if bad != "" {
		return Plan[In, Out]{op.Missing[In, Out](bad)}
	}
	return Plan[In, Out]{op.Graph[In](d, out.s)}
}

// Node adds s to the graph of in, and returns the Ref of the result of s. In each run of the graph that
// succeeds, s runs once, with the value of in as its input.
//
//spec:ftn12 §1.4, §2.2.1 parallel
func Node[In, Out any](in Ref[In], s step.Step[In, Out]) Ref[Out] {
	return Ref[Out]{op.Vertex(in.s, op.Given(s, "Node: the step is nil"))}
}

// Join2 combines two values of a [Graph] into one Ref. It adds no node.
//
//spec:ftn12 §1.4, §2.2.1 parallel
func Join2[A, B any](a Ref[A], b Ref[B]) Ref[Pair[A, B]] {
	return Ref[Pair[A, B]]{op.Join("Join2", a.s, b.s, func(a A, b B) Pair[A, B] { return Pair[A, B]{a, b} })}
}

// Join3 combines three values of a [Graph] into one Ref. It adds no node. For more, and for
// values with names, see [Gather].
//
//spec:ftn12 §1.4, §2.2.1 parallel
func Join3[A, B, C any](a Ref[A], b Ref[B], c Ref[C]) Ref[Triple[A, B, C]] {
	ab := op.Join("Join3", a.s, b.s, func(a A, b B) Pair[A, B] { return Pair[A, B]{a, b} })
	return Ref[Triple[A, B, C]]{op.Join("Join3", ab, c.s, func(ab Pair[A, B], c C) Triple[A, B, C] {
		return Triple[A, B, C]{ab.A, ab.B, c}
	})}
}

// Part is a value of a [Graph] and a function that stores it in an S. The zero Part is
// reported by Plan.Err.
type Part[S any] struct{ s op.Setter[S] }

// Put makes a [Part]: when [Gather] makes the S, set is called with the value of from. set
// runs on the loop of the run and must not block. A nil set is reported by Plan.Err.
func Put[S, T any](from Ref[T], set func(to *S, v T)) Part[S] {
	return Part[S]{op.Put(from.s, set)}
}

// Gather adds a node to a [Graph]; the node makes a struct from any number of values, of any types.
// As soon as all values are there, it applies the parts in their order to the zero S:
//
//	all := flow.Gather(
//		flow.Put(user, func(p *Page, u User) { p.User = u }),
//		flow.Put(orders, func(p *Page, o []Order) { p.Orders = o }),
//	)
//
// A panic in one of the functions fails the node with InternalError. Plan.Err reports a Gather without
// parts if the graph takes its result.
//
//spec:ftn12 §1.4, §2.2.1 parallel
func Gather[S any](parts ...Part[S]) Ref[S] {
	setters := make([]op.Setter[S], len(parts))
	for i, p := range parts {
		setters[i] = p.s
	}
	return Ref[S]{op.Gather(setters)}
}
