package laws_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// knot is a node of a random graph. mix computes its value from the values of the nodes in From.
type knot struct {
	From  []int // nodes before it; -1 is the input of the graph
	Takes time.Duration
}

// mix returns a number that depends on the values and on their order.
func mix(vs []int) int {
	sum := 1
	for _, v := range vs {
		sum = (sum*31 + v) % 1_000_003
	}
	return sum
}

// drawn returns a function that builds the graph. work makes the step of a node.
func drawn(knots []knot, work func(i int) step.Step[[]int, int]) func(in flow.Ref[int]) flow.Ref[int] {
	return func(in flow.Ref[int]) flow.Ref[int] {
		refs := make([]flow.Ref[int], len(knots))
		ref := func(i int) flow.Ref[int] {
			if i < 0 {
				return in
			}
			return refs[i]
		}
		for i, k := range knots {
			refs[i] = flow.Node(taken(k.From, ref), work(i))
		}
		return refs[len(refs)-1]
	}
}

// taken returns the values that a node takes, by one of the functions that collect them.
func taken(from []int, ref func(int) flow.Ref[int]) flow.Ref[[]int] {
	all := make([]flow.Part[[]int], len(from))
	for i, f := range from {
		all[i] = flow.Put(ref(f), func(to *[]int, v int) { *to = append(*to, v) })
	}
	add := func(to *[]int, vs ...int) { *to = append(*to, vs...) }
	switch len(from) {
	case 2:
		both := flow.Join2(ref(from[0]), ref(from[1]))
		return flow.Gather(flow.Put(both, func(to *[]int, p flow.Pair[int, int]) { add(to, p.A, p.B) }))
	case 3:
		three := flow.Join3(ref(from[0]), ref(from[1]), ref(from[2]))
		return flow.Gather(flow.Put(three, func(to *[]int, t flow.Triple[int, int, int]) { add(to, t.A, t.B, t.C) }))
	default:
		return flow.Gather(all...)
	}
}

// graphs draws the nodes of a graph. The last one depends on all others.
func graphs(t *rapid.T) []knot {
	knots := make([]knot, rapid.IntRange(1, 8).Draw(t, "nodes"))
	used := make([]bool, len(knots))
	for i := range knots {
		from := rapid.SliceOfN(rapid.IntRange(-1, i-1), 1, 4).Draw(t, "from")
		if i == len(knots)-1 {
			for j := range i {
				if !used[j] && !slices.Contains(from, j) {
					from = append(from, j)
				}
			}
		}
		for _, f := range from {
			if f >= 0 {
				used[f] = true
			}
		}
		knots[i] = knot{from, time.Duration(rapid.IntRange(0, 50).Draw(t, "ms")) * time.Millisecond}
	}
	return knots
}

// graphed is the result of a graph, and the times of its nodes.
type graphed struct {
	Out        int
	Begun, End []time.Duration
	Ended      time.Duration
}

// Law 63, P7: a graph has the same result as its nodes run one by one, runs each node once, and takes as long as its
// critical path.
func TestP7AGraphIsItsNodesOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		knots := graphs(t)
		want := graphed{Begun: make([]time.Duration, len(knots)), End: make([]time.Duration, len(knots))}
		values := make([]int, len(knots))
		for i, k := range knots {
			var vs []int
			for _, f := range k.From {
				if f < 0 {
					vs = append(vs, 7)
					continue
				}
				vs = append(vs, values[f])
				want.Begun[i] = max(want.Begun[i], want.End[f])
			}
			values[i] = mix(vs)
			want.End[i] = want.Begun[i] + k.Takes
		}
		want.Out, want.Ended = values[len(values)-1], want.End[len(knots)-1]

		got := graphed{Begun: make([]time.Duration, len(knots)), End: make([]time.Duration, len(knots))}
		times := make([]int, len(knots))
		loop := tooltest.New()
		p := flow.Graph(drawn(knots, func(i int) step.Step[[]int, int] {
			begin := step.Map(func(vs []int) int {
				got.Begun[i] = loop.Now()
				times[i]++
				return mix(vs)
			})
			end := step.Map(func(v int) int {
				got.End[i] = loop.Now()
				return v
			})
			return flow.Then(begin, flow.Then(step.Delay[int](knots[i].Takes), end))
		}))
		run := flow.Start(context.Background(), loop, p, 7)
		run.Then(func(v int, err error) {
			if err != nil {
				t.Fatalf("failed: %v", err)
			}
			got.Out, got.Ended = v, loop.Now()
		})
		loop.Run()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%v\n(-want +got):\n%s", knots, diff)
		}
		if slices.Min(times) != 1 || slices.Max(times) != 1 {
			t.Fatalf("the nodes have run %v times", times)
		}
	})
}

// shapes holds small graphs: a chain, a diamond, and one with a short and a long path.
var shapes = map[string][][]int{
	"chain":   {{-1}, {0}, {1}},
	"diamond": {{-1}, {0}, {0}, {1, 2}},
	"ways":    {{-1}, {-1}, {0}, {2, 1, -1}},
}

// Law 64, P7, P3, O7: under every schedule with few delays, with cancels and slow callbacks, a node begins at most once,
// after the nodes it takes from have succeeded, and before any is left because of an error or a cancel. A node that has
// begun succeeds or is left, once.
func TestP7EveryScheduleOfAGraph(t *testing.T) {
	for name, shape := range shapes {
		for fails := range 1 << len(shape) {
			if failsInVain(shape, fails) {
				continue // the second failure changes nothing
			}
			t.Run(fmt.Sprintf("%s, %04b fail", name, fails), func(t *testing.T) {
				everySchedule(t, bounds(2, 1500), func(ctx context.Context, x *explore.Trial) error { return everyGraph(ctx, x, shape, fails) })
			})
		}
	}
}

// failsInVain reports whether a failing node comes after another one, so that it doesn't begin.
func failsInVain(shape [][]int, fails int) bool {
	behind := 0 // nodes that come after a failing one
	for i, from := range shape {
		for _, f := range from {
			if f >= 0 && (fails|behind)>>f&1 != 0 {
				behind |= 1 << i
			}
		}
	}
	return fails&behind != 0
}

func everyGraph(ctx context.Context, x *explore.Trial, shape [][]int, fails int) error {
	x.Slow()
	var lines []string
	say := func(what string, i int) {
		line := fmt.Sprint(what, " ", i)
		x.Note("%s", line)
		lines = append(lines, line)
	}
	knots := make([]knot, len(shape))
	for i, from := range shape {
		knots[i] = knot{From: from}
	}
	p := flow.Graph(drawn(knots, func(i int) step.Step[[]int, int] {
		begin := step.New(func(as step.Scope, vs []int) step.Next[int] {
			say("begin", i)
			return step.Wait(as, func(done step.Done[int]) { _, _ = as.Loop().Immediate(func() { done.Succeed(mix(vs)) }) })
		})
		end := step.Func(func(_ step.Scope, v int) (int, error) {
			if fails>>i&1 != 0 {
				say("fail", i)
				return 0, errRival(i)
			}
			say("done", i)
			return v, nil
		})
		return flow.OnCancel(flow.Then(begin, flow.Named("inner", flow.Named("inmost", end))), func(step.Scope) {
			if slices.Contains(lines, fmt.Sprint("begin ", i)) { // only the step around it may have begun
				say("left", i)
			}
		})
	}))
	run := explore.Start(ctx, x, flow.Par2(p, step.Map(func(in int) int { return in })), 7)
	if err := x.Run(explore.Action{Name: "cancel", Do: func() { run.Cancel(nil) }}); err != nil {
		return err
	}
	if errs := x.Loop().Errors(); len(errs) > 0 {
		return fmt.Errorf("reported: %w", errors.Join(errs...))
	}
	out, err := run.Result()
	return judgeGraph(shape, fails, lines, out.A, err)
}

func judgeGraph(shape [][]int, fails int, lines []string, out int, err error) error {
	at := func(what string, i int) int { return slices.Index(lines, fmt.Sprint(what, " ", i)) }
	times := func(what string, i int) (n int) {
		for _, line := range lines {
			if line == fmt.Sprint(what, " ", i) {
				n++
			}
		}
		return n
	}
	left := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "left") })
	failed := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "fail") })
	values := make([]int, len(shape))
	for i, from := range shape {
		if times("begin", i) > 1 || times("done", i)+times("left", i) != times("begin", i) {
			return fmt.Errorf("node %d begins %d times, succeeds %d, is left %d", i, times("begin", i), times("done", i), times("left", i))
		}
		if left >= 0 && at("begin", i) > left {
			return fmt.Errorf("node %d begins although %s", i, lines[left])
		}
		var vs []int
		for _, f := range from {
			if f < 0 {
				vs = append(vs, 7)
				continue
			}
			vs = append(vs, values[f])
			if b := at("begin", i); b >= 0 && (at("done", f) < 0 || at("done", f) > b) {
				return fmt.Errorf("node %d begins before node %d has succeeded", i, f)
			}
		}
		values[i] = mix(vs)
	}
	last := len(shape) - 1
	switch {
	case fault.CodeOf(err) == fault.Cancelled:
		return nil
	case failed >= 0:
		if !errors.Is(err, errRival(int(lines[failed][len("fail ")]-'0'))) {
			return fmt.Errorf("got %w, %v", err, lines)
		}
		return nil
	case fails != 0:
		return errors.New("no node has failed")
	case err != nil || out != values[last]:
		return fmt.Errorf("got %d, %w, want %d", out, err, values[last])
	}
	return nil
}
