package main

import (
	"io"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
	"github.com/futoin-go/asyncsteps/step"
)

func drawings() []growing {
	sum := step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B })
	last := func(a, _ flow.Ref[int]) flow.Ref[int] { return flow.Node(a, inc) }
	both := func(a, b flow.Ref[int]) flow.Ref[int] { return flow.Node(flow.Join2(a, b), sum) }
	// graph returns a graph of n nodes. node makes each of them from the one before and the input.
	graph := func(n int, node func(a, b flow.Ref[int]) flow.Ref[int]) flow.Plan[int, int] {
		return flow.Graph(func(in flow.Ref[int]) flow.Ref[int] {
			out := in
			for range n {
				out = node(out, in)
			}
			return out
		})
	}
	fan := func(n int) flow.Plan[int, int] {
		return flow.Graph(func(in flow.Ref[int]) flow.Ref[int] {
			out := in
			for range n {
				out = both(flow.Node(in, inc), out)
			}
			return out
		})
	}
	return []growing{
		{"drawings/chain", func(n int) { svg(flow.Chain(many(n, inc)...)) }},
		{"drawings/nested", func(n int) {
			svg(nested(n, inc, func(s step.Step[int, int]) flow.Plan[int, int] { return flow.Timeout(time.Hour, s) }))
		}},
		{"drawings/branches", func(n int) { svg(flow.Par(many(n, inc)...)) }},
		{"drawings/handlers", func(n int) { svg(flow.Chain(many(n, flow.Catch(inc, keeps))...)) }},
		{"drawings/graph: a chain", func(n int) { svg(graph(n, last)) }},
		{"drawings/graph: all of the input", func(n int) { svg(graph(n, both)) }},
		{"drawings/graph: side by side", func(n int) { svg(fan(n)) }},
		{"drawings/folded", func(n int) {
			plan := flow.Describe(flow.Par(many(n, flow.Timeout(time.Hour, inc))...))
			must(0, draw.SVG(io.Discard, draw.Fold(plan, func(t *flow.Tree) bool { return t.Path == "0" })))
		}},
	}
}

func svg[In, Out any](p step.Step[In, Out]) { must(0, draw.SVG(io.Discard, flow.Describe(p))) }
