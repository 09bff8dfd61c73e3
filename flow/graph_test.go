package flow_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

var (
	addPair   = step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B })
	addTriple = step.Map(func(t flow.Triple[int, int, int]) int { return t.A + t.B + t.C })
)

// diamond returns a graph of four nodes: top, left and right, which take the result of top, and the sum of both.
func diamond(top, left, right step.Step[int, int]) flow.Plan[int, int] {
	return flow.Graph(func(in flow.Ref[int]) flow.Ref[int] {
		t := flow.Node(in, top)
		return flow.Node(flow.Join2(flow.Node(t, left), flow.Node(t, right)), addPair)
	})
}

func TestGraph(t *testing.T) {
	t.Run("P7 each node once, on the results it takes", func(t *testing.T) {
		var rec recorder
		p := diamond(flow.Then(rec.passing("top"), plantest.Add(1)), flow.Then(rec.passing("left"), plantest.Add(10)), flow.Then(rec.passing("right"), plantest.Add(100)))
		for range 2 {
			plantest.WantResult(t, p, 0, 112)
		}
		rec.Want(t, "top", "left", "right", "top", "left", "right")
	})
	t.Run("P7 a node begins when what it takes is there", func(t *testing.T) {
		var rec recorder
		p := flow.Graph(func(in flow.Ref[int]) flow.Ref[int] {
			slow := flow.Node(in, later(3*oneSecond, 1))
			quick := flow.Node(in, later(oneSecond, 2))
			next := flow.Node(quick, flow.Then(rec.passing("next"), later(oneSecond, 10)))
			return flow.Node(flow.Join3(slow, next, in), addTriple)
		})
		loop, run := plantest.Start(t, p, 1000)
		loop.Advance(oneSecond)
		rec.Want(t, "next")
		loop.Run()
		if v, err := plantest.Result(t, run); v != 1001+1012+1000 || err != nil || loop.Now() != 3*oneSecond {
			t.Errorf("got %v, %v at %v", v, err, loop.Now())
		}
	})
	t.Run("P7 values that are no node's", func(t *testing.T) {
		plantest.WantResult(t, flow.Graph(func(in flow.Ref[int]) flow.Ref[int] { return in }), 7, 7)
		plantest.WantResult(t, flow.Graph(func(in flow.Ref[int]) flow.Ref[flow.Pair[int, int]] {
			return flow.Join2(in, flow.Node(in, plantest.Add(1)))
		}),
			7, flow.Pair[int, int]{A: 7, B: 8})
		plantest.WantResult(t, flow.Graph(func(in flow.Ref[int]) flow.Ref[int] {
			a := flow.Node(in, plantest.Add(1))
			return flow.Node(flow.Join2(a, a), addPair)
		}), 7, 16)
	})
	t.Run("P7 gather", func(t *testing.T) {
		p := flow.Graph(gathers)
		plantest.WantResult(t, p, 7, card{Name: "7", Odd: true, Sum: 15})
		plantest.WantResult(t, p, 8, card{Name: "8", Sum: 17})
		plantest.WantResult(t, flow.Catch(p, func(step.Scope, error) step.Next[card] { return step.Succeed(card{}) }), 8, card{Name: "8", Sum: 17})
	})
	t.Run("P7 gather begins with zero each time", func(t *testing.T) {
		p := flow.Graph(func(in flow.Ref[int]) flow.Ref[int] {
			add := func(to *int, v int) { *to += v }
			return flow.Gather(flow.Put(in, add), flow.Put(flow.Node(in, plantest.Add(1)), add))
		})
		body := step.Map(func(i loopx.Iteration[int]) int { return 1 })
		plantest.WantResult(t, loopx.Repeat(3, flow.Then(body, p)), 0, 3)
	})
	t.Run("P7 in a graph, in a loop", func(t *testing.T) {
		inner := diamond(plantest.Add(1), step.Delay[int](oneSecond), plantest.Add(1))
		body := flow.Then(step.Map(func(i loopx.Iteration[int]) int { return i.Carry }), diamond(inner, inner, plantest.Add(1)))
		plantest.WantResult(t, loopx.Repeat(2, body), 0, want2(2, 0))
	})
	t.Run("P4 guards", func(t *testing.T) {
		m := syncx.NewMutex(1, -1)
		var rec recorder
		plantest.WantResult(t, diamond(plantest.Add(1), syncx.Sync(m, later(oneSecond, 1)), syncx.Sync(m, rec.passing("right"))), 0, 3)
	})
}

func want2(n, v int) int {
	inner := func(v int) int { return v + 1 + v + 2 }
	for range n {
		t := inner(v)
		v = inner(t) + t + 1
	}
	return v
}

type card struct {
	Name string
	Odd  bool
	Sum  int
}

func gathers(in flow.Ref[int]) flow.Ref[card] {
	return flow.Gather(
		flow.Put(flow.Node(in, step.Map(func(n int) string { return fmt.Sprint(n) })), func(c *card, s string) { c.Name = s }),
		flow.Put(flow.Node(in, step.Map(func(n int) bool { return n%2 == 1 })), func(c *card, is bool) { c.Odd = is }),
		flow.Put(flow.Join2(in, flow.Node(in, plantest.Add(1))), func(c *card, p flow.Pair[int, int]) { c.Sum += p.A + p.B }),
	)
}

func TestGraphThatFails(t *testing.T) {
	t.Run("P7, P3 the others are left in order, what has not begun never begins", func(t *testing.T) {
		var rec recorder
		p := flow.Graph(func(in flow.Ref[int]) flow.Ref[int] {
			a := flow.Node(in, rec.recordError("a", rec.waitingInt("a left")))
			f := flow.Node(in, rec.recordError("f", failAfter(oneSecond, errFirst)))
			c := flow.Node(in, rec.recordError("c", rec.waitingInt("c left")))
			return flow.Node(flow.Join3(flow.Node(a, rec.passing("never")), f, c), addTriple)
		})
		_, err := plantest.Run(t, rec.recordError("step", p), 1)
		if e := plantest.WantCode(t, err, errFirst.Code); e.Path != "0/graph.1/0/1" {
			t.Errorf("path %q", e.Path)
		}
		rec.Want(t, "f: First", "a left", "c left", "step: First")
	})
	t.Run("P3 an error on its way in a sibling becomes secondary", func(t *testing.T) {
		leaves := flow.OnCancel(step.Delay[int](time.Hour), func(step.Scope) { panic(errSecond) })
		_, err := plantest.Run(t, diamond(plantest.Add(1), leaves, failAfter(oneSecond, errFirst)), 1)
		e := plantest.WantCode(t, err, errFirst.Code)
		if len(e.Secondary) != 1 || !errors.Is(e.Secondary[0], errSecond) {
			t.Errorf("secondary: %v", e.Secondary)
		}
	})
	t.Run("C1 wherever a cancel comes", func(t *testing.T) {
		for at := range 5 {
			var rec recorder
			held := func(name string, d time.Duration) step.Step[int, int] {
				return flow.OnCancel(flow.Then(rec.passing(name), step.Delay[int](d)), func(step.Scope) { rec.Recordf("%s left", name) })
			}
			loop, run := plantest.Start(t, diamond(held("top", oneSecond), held("left", oneSecond), held("right", 2*oneSecond)), 1)
			if at > 0 {
				loop.Advance(time.Duration(at)*oneSecond - oneSecond/2)
			}
			run.Cancel(nil)
			loop.Run()
			want := [][]string{
				nil, {"top", "top left"}, {"top", "left", "right", "left left", "right left"}, {"top", "left", "right", "right left"}, {"top", "left", "right"},
			}[at]
			rec.Want(t, want...)
			if _, err := plantest.Result(t, run); (err == nil) != (at == 4) {
				t.Errorf("cancelled at %d: %v", at, err)
			}
		}
	})
	t.Run("C3 a limit", func(t *testing.T) {
		_, err := plantest.Run(t, flow.Timeout(oneSecond, diamond(plantest.Add(1), plantest.Add(1), step.Delay[int](time.Minute))), 1)
		plantest.WantCode(t, err, fault.Timeout)
	})
	t.Run("E2 handled, and again in the same memory", func(t *testing.T) {
		n := 0
		sometimes := step.Func(func(_ step.Scope, in int) (int, error) {
			if n++; n%2 == 1 {
				return 0, errFirst
			}
			return in, nil
		})
		body := step.Map(func(i loopx.Iteration[int]) int { return i.Carry })
		var rec recorder
		plantest.WantResult(t, loopx.Repeat(4, flow.Then(body, rec.recoverWith("step", 100, diamond(plantest.Add(1), sometimes, plantest.Add(1))))), 0, 203)
		rec.Want(t, "step: First", "step: First")
	})
	t.Run("L1 break", func(t *testing.T) {
		leave := step.New(func(step.Scope, int) step.Next[int] { return loopx.Break[int]() })
		plantest.WantResult(t, loopx.Loop(diamond(plantest.Add(1), step.Delay[int](time.Hour), leave)), 7, 7)
	})
	t.Run("E4 a panic while gathering", func(t *testing.T) {
		p := flow.Graph(func(in flow.Ref[int]) flow.Ref[int] {
			return flow.Gather(flow.Put(flow.Node(in, plantest.Add(1)), func(*int, int) { panic("oops") }))
		})
		_, err := plantest.Run(t, p, 1)
		if e := plantest.WantCode(t, err, fault.InternalError); e.Path != "0/graph.1/0" {
			t.Errorf("path %q", e.Path)
		}
	})
}

func TestBadGraphs(t *testing.T) {
	var outer flow.Ref[int]
	add := func(in flow.Ref[int]) flow.Ref[int] { return flow.Node(in, plantest.Add(1)) }
	set := func(to *int, v int) { *to = v }
	var part flow.Part[int]
	plantest.WantResult(t, flow.Graph(func(in flow.Ref[int]) flow.Ref[int] { outer, part = in, flow.Put(in, set); return add(in) }), 1, 2)
	for _, tt := range []struct {
		build func(in flow.Ref[int]) flow.Ref[int]
		want  []string
	}{
		{nil, []string{"Graph: the function is nil"}},
		{func(flow.Ref[int]) flow.Ref[int] { panic("oops") }, []string{"Graph: the function failed: "}},
		{func(flow.Ref[int]) flow.Ref[int] { return flow.Ref[int]{} }, []string{"Graph: the function returned the zero Ref"}},
		{func(flow.Ref[int]) flow.Ref[int] { return outer }, []string{"Graph: the function returned a Ref of another graph"}},
		{func(flow.Ref[int]) flow.Ref[int] { return add(outer) }, []string{"Node: the Ref is of a graph that is complete"}},
		{func(flow.Ref[int]) flow.Ref[int] { return add(flow.Ref[int]{}) }, []string{"Node: the Ref is zero"}},
		{func(in flow.Ref[int]) flow.Ref[int] { return flow.Node(in, step.Step[int, int](nil)) }, []string{"Node: the step is nil"}},
		{func(in flow.Ref[int]) flow.Ref[int] { add(add(in)); return add(in) }, []string{"Graph: nothing takes the result of this node"}},
		{func(in flow.Ref[int]) flow.Ref[int] { return flow.Node(flow.Join2(add(in), outer), addPair) }, []string{"Join2: the Ref is of a graph that is complete"}},
		{func(in flow.Ref[int]) flow.Ref[int] { flow.Join3(in, outer, flow.Ref[int]{}); return in },
			[]string{"Join3: the Ref is of a graph that is complete", "Join3: the Ref is zero"}},
		{func(in flow.Ref[int]) flow.Ref[int] {
			return flow.Node(in, flow.Graph(func(inner flow.Ref[int]) flow.Ref[int] { return flow.Node(flow.Join2(in, inner), addPair) }))
		}, []string{"Join2: the Ref is of another graph"}},
		{func(flow.Ref[int]) flow.Ref[int] { return flow.Gather[int]() }, []string{"Gather: there is no Put"}},
		{func(in flow.Ref[int]) flow.Ref[int] { return flow.Gather(flow.Put(in, set), flow.Part[int]{}) }, []string{"Gather: the Part is zero"}},
		{func(in flow.Ref[int]) flow.Ref[int] { return flow.Gather(flow.Put[int, int](in, nil)) }, []string{"Put: the function is nil"}},
		{func(in flow.Ref[int]) flow.Ref[int] {
			return flow.Node(in, flow.Graph(func(inner flow.Ref[int]) flow.Ref[int] { return flow.Gather(flow.Put(inner, set), flow.Put(in, set)) }))
		}, []string{"Gather: the Part is of another graph"}},
		{func(in flow.Ref[int]) flow.Ref[int] { flow.Node(flow.Join2(in, flow.Ref[int]{}), addPair); return in }, []string{"Join2: the Ref is zero"}},
		{func(flow.Ref[int]) flow.Ref[int] { return flow.Node(flow.Ref[int]{}, step.Step[int, int](nil)) },
			[]string{"Node: the Ref is zero", "Node: the step is nil"}},
		{func(in flow.Ref[int]) flow.Ref[int] {
			flow.Graph(func(inner flow.Ref[int]) flow.Ref[int] { flow.Join2(inner, in); return inner }) // nobody uses it
			return in
		}, []string{"Join2: the Ref is of another graph"}},
		{func(in flow.Ref[int]) flow.Ref[int] { flow.Node(in, step.Step[int, int](nil)); return in },
			[]string{"Node: the step is nil", "Graph: nothing takes the result of this node"}},
		{func(flow.Ref[int]) flow.Ref[int] { return flow.Gather(part) }, []string{"Gather: the Part is of a graph that is complete"}},
	} {
		p := flow.Graph(tt.build)
		err := p.Err()
		all := strings.Split(fmt.Sprint(err), "\n")
		if len(all) != len(tt.want) {
			t.Errorf("got %d errors, want %d: %v", len(all), len(tt.want), err)
			continue
		}
		for i, want := range tt.want {
			if !strings.Contains(all[i], want) || !strings.Contains(all[i], "graph_test.go:") {
				t.Errorf("got %q, want %q", all[i], want)
			}
		}
		if e := plantest.WantCode(t, err, fault.InvalidRequest); e.Site.Line == 0 {
			t.Errorf("no place in %v", err)
		}
		if steps := flow.Describe(p).Holds; len(steps) != 1 {
			t.Errorf("%v: described as %d steps", tt.want, len(steps))
		}
	}
}

// A complete graph, which may be running, isn't changed by nodes that take its values.
func TestNodeOfACompleteGraph(t *testing.T) {
	var kept flow.Ref[int]
	p := flow.Graph(func(in flow.Ref[int]) flow.Ref[int] { kept = flow.Node(in, plantest.Add(1)); return kept })
	flow.Node(kept, plantest.Add(1))
	flow.Gather(flow.Put(kept, func(*int, int) {}))
	plantest.WantResult(t, p, 1, 2)
}

func TestDescribeGraph(t *testing.T) {
	tree := flow.Describe(flow.Named("sum", flow.Graph(gathers)))
	var got []string
	for part := range tree.All() {
		got = append(got, strings.TrimSpace(fmt.Sprint(part.Path, " ", part.Kind, " ", part.Name)))
	}
	want := []string{
		"plan", "0 graph sum", "0/graph.0 branch", "0/graph.0/0 map", "0/graph.1 branch", "0/graph.1/0 map",
		"0/graph.2 branch", "0/graph.2/0 map", "0/graph.3 branch", "0/graph.3/0 gather",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]int{{-1}, {-1}, {-1}, {0, 1, -1, 2}, {3}}, tree.Holds[0].Edges); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
	if par := flow.Describe(flow.Par(plantest.Add(1))); par.Holds[0].Edges != nil {
		t.Errorf("a par has the edges %v", par.Holds[0].Edges)
	}
}

func TestEdgesAreInTheDigest(t *testing.T) {
	tree := func(build func(a, b flow.Ref[int]) flow.Ref[flow.Pair[int, int]]) *flow.Tree {
		return flow.Describe(flow.Graph(func(in flow.Ref[int]) flow.Ref[flow.Pair[int, int]] {
			a := flow.Node(in, plantest.Add(1))
			return build(a, flow.Node(a, plantest.Add(2)))
		}))
	}
	one := tree(flow.Join2)
	other := tree(func(a, b flow.Ref[int]) flow.Ref[flow.Pair[int, int]] { return flow.Join2(b, a) })
	if one.Digest == other.Digest {
		t.Error("equal digests")
	}
	changes := flow.Diff(one, other)
	if len(changes) != 1 || changes[0].String() != "~ 0: edges [[-1] [0] [0 1]] → [[-1] [0] [1 0]]" {
		t.Errorf("changes: %v", changes)
	}
}
