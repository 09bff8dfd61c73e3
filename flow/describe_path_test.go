package flow_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/combinatortest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

func lines(s string) []string { return strings.Split(s, "\n") }

// pathRecorder makes plans whose steps record their own paths, and those of the steps around them.
type pathRecorder struct {
	seen  map[string]bool
	label loopx.Label[int]
}

func newPathRecorder() *pathRecorder {
	return &pathRecorder{seen: map[string]bool{}, label: loopx.NewLabel[int]("outer")}
}

var element = regexp.MustCompile(`(each|tasks)\.\d+`)

func fact(role flow.Role, path, kind, name string, site fault.Site) string {
	return strings.Join([]string{string(role), element.ReplaceAllString(path, "$1.N"), kind, name, site.String()}, " ")
}

func (s *pathRecorder) look(as step.Scope) {
	for _, m := range as.Trace() {
		s.seen[fact(flow.RoleStep, m.Path, m.Kind, m.Name, m.Site)] = true
	}
}

func (s *pathRecorder) here() step.Step[int, int] {
	return step.Func(func(as step.Scope, in int) (int, error) {
		s.look(as)
		return in, nil
	})
}

func (s *pathRecorder) fails() step.Step[int, int] {
	return step.Func(func(as step.Scope, in int) (int, error) {
		s.look(as)
		return in, errBad
	})
}

// answered returns p, which has to fail, with a handler that records its path.
func (s *pathRecorder) answered(p step.Step[int, int]) step.Step[int, int] {
	return flow.Catch(p, func(as step.Scope, _ error) step.Next[int] {
		s.seen[string(flow.RoleHandler)+" "+element.ReplaceAllString(as.Path(), "$1.N")] = true
		return step.Succeed(0)
	})
}

// left returns p, which has to fail, with a cancel hook that records its path.
func (s *pathRecorder) left(p step.Step[int, int]) step.Step[int, int] {
	return flow.OnCancel(p, func(as step.Scope) {
		s.seen[string(flow.RoleHook)+" "+element.ReplaceAllString(as.Path(), "$1.N")] = true
	})
}

func (s *pathRecorder) breaks() step.Step[int, int] {
	return step.New(func(as step.Scope, _ int) step.Next[int] {
		s.look(as)
		return loopx.Break[int]()
	})
}

func (s *pathRecorder) breaksTo() step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		s.look(as)
		return loopx.BreakTo[int](s.label, in)
	})
}

// compare runs p and compares the description of p with what was recorded.
func (s *pathRecorder) compare(t rapid.TB, p step.Step[int, int]) {
	described := map[string]bool{}
	for tree := range flow.Describe(p).All() {
		switch {
		case tree.Role == flow.RoleHandler, tree.Role == flow.RoleHook:
			described[string(tree.Role)+" "+tree.Path] = true
		case tree.Role != flow.RoleStep, strings.Contains(tree.Path, "/undo.1/"):
		case slices.Contains([]string{"map", "value", "chain", "copy", "carry", "tap", "gather"}, tree.Kind):
			// The step has no scope, so it can't note its path.
		default:
			name := tree.Name
			if name == "" {
				name = tree.Func
			}
			described[fact(tree.Role, tree.Path, tree.Kind, name, tree.Site)] = true
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(s.seen)), slices.Sorted(maps.Keys(described))); diff != "" {
		t.Errorf("-run +described:\n%s", diff)
	}
}

// plan draws a plan of which each step is executed, apart from those that undo.
func (s *pathRecorder) plan(t *rapid.T, depth int) step.Step[int, int] {
	if depth == 0 {
		return s.here()
	}
	sub := func() step.Step[int, int] { return s.plan(t, depth-1) }
	switch rapid.IntRange(0, 20).Draw(t, "what") {
	case 0:
		return s.here()
	case 1:
		stages := make([]step.Step[int, int], rapid.IntRange(0, 3).Draw(t, "stages"))
		for i := range stages {
			stages[i] = sub()
		}
		return flow.Then(flow.Chain(stages...), s.here()) // an empty level would note nothing
	case 2:
		return flow.Named(rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "name"), sub())
	case 3:
		return s.answered(flow.Then(sub(), s.fails()))
	case 4:
		return s.answered(s.left(s.fails()))
	case 5:
		return s.answered(flow.Named("n", flow.Catch(flow.Chain(s.fails()), func(as step.Scope, _ error) step.Next[int] {
			s.seen[string(flow.RoleHandler)+" "+element.ReplaceAllString(as.Path(), "$1.N")] = true
			return step.Unwind[int]()
		})))
	case 6:
		return loopx.Repeat(2, flow.Then(step.Map(func(turn loopx.Iteration[int]) int { return turn.Carry }), sub()))
	case 7:
		return loopx.Loop(flow.Then(sub(), s.breaks()))
	case 8: // a loop with a label, whose body is a loop
		return loopx.Labelled(s.label, loopx.Loop(loopx.Loop(flow.Then(sub(), s.breaksTo()))))
	case 9: // the steps that undo aren't executed
		return flow.Saga(flow.Undo(sub(), s.here()))
	case 10:
		release := step.Func(func(as step.Scope, e flow.Ended[int, int]) (int, error) { s.look(as); return e.Value, nil })
		return flow.Bracket(sub(), sub(), release)
	default:
		c := rapid.SampledFrom(whole).Draw(t, "combinator")
		n := c.Stages
		if c.Many {
			n += rapid.IntRange(0, 2).Draw(t, "more")
		}
		stages := make([]step.Step[int, int], n)
		for i := range stages {
			stages[i] = sub()
		}
		return c.Make(stages...)
	}
}

// whole holds the combinators that execute everything that they describe.
var whole = slices.DeleteFunc(slices.Clone(combinatortest.All), func(c combinatortest.Combinator) bool { return c.Other })

// Describe gives each step the path, the kind, the name and the site that it has at run time.
func TestDescribeAgreesWithRuns(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newPathRecorder()
		p := s.plan(rt, rapid.IntRange(0, 4).Draw(rt, "depth"))
		if _, err := plantest.Run(t, p, 0); err != nil {
			rt.Fatalf("failed: %v", err)
		}
		s.compare(rt, p)
	})
}

// A label adds no step to the description; a loop in a loop does.
func TestDescribeLabelled(t *testing.T) {
	s := newPathRecorder()
	p := loopx.Labelled(s.label, loopx.Loop(loopx.Loop(s.breaksTo())))
	if _, err := plantest.Run(t, p, 0); err != nil {
		t.Fatal(err)
	}
	s.compare(t, p)
	want := []string{"plan  plan", "step 0 loop", "step 0/0 loop", "step 0/0/0 new"}
	if diff := cmp.Diff(want, facts(flow.Describe(p))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// In the path of a very deep step the middle is left out, as at run time.
func TestDescribeDeepPaths(t *testing.T) {
	for _, n := range []int{20, 21, 22, 40} {
		s := newPathRecorder()
		p := flow.Of(s.here())
		for range n {
			p = flow.Timeout(time.Hour, flow.Then(s.here(), flow.Then(sum(flow.Par(s.here(), flow.Call(p))),
				flow.Then(step.Map(func(in int) []int { return []int{in} }), sum(flow.ParEach(1, flow.Of(s.here())))))))
		}
		if _, err := plantest.Run(t, p, 0); err != nil {
			t.Fatal(err)
		}
		paths := map[string]bool{}
		for tree := range flow.Describe(p).All() {
			if tree.Role == flow.RoleStep && tree.Kind == "func" {
				paths[tree.Path] = true
			}
		}
		elided := 0
		for line := range s.seen {
			if strings.Contains(line, "…") {
				elided++
			}
			if f := strings.Fields(line); f[2] == "func" && !paths[f[1]] {
				t.Errorf("%d levels: no step is described at %s", n, f[1])
			}
		}
		if n > 21 && elided == 0 {
			t.Errorf("%d levels: no path was long enough", n)
		}
	}
}

// Describe doesn't recurse for long and deep plans.
func TestDescribeLargePlans(t *testing.T) {
	inc := plantest.Add(1)
	deep := reduced(20_000)
	for _, c := range []struct {
		name  string
		n     int
		wrap  func(flow.Plan[int, int]) flow.Plan[int, int]
		parts int // parts that one call of wrap adds
	}{
		{"Then after", reduced(200_000), func(p flow.Plan[int, int]) flow.Plan[int, int] { return flow.Then(p, inc) }, 1},
		{"Then before", deep, func(p flow.Plan[int, int]) flow.Plan[int, int] { return flow.Then(inc, p) }, 1},
		{"Timeout", deep, func(p flow.Plan[int, int]) flow.Plan[int, int] { return flow.Timeout(time.Hour, p) }, 1},
		{"Par", deep, func(p flow.Plan[int, int]) flow.Plan[int, int] { return sum(flow.Par(p)) }, 3},
		{"Named", deep, func(p flow.Plan[int, int]) flow.Plan[int, int] { return flow.Named("n", flow.Chain(p)) }, 0},
		// Each Named is a new step that holds the steps before it.
		{"Catch", deep, func(p flow.Plan[int, int]) flow.Plan[int, int] {
			return flow.Catch(flow.Named("n", flow.Then(p, inc)), func(step.Scope, error) step.Next[int] { return step.Unwind[int]() })
		}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			onSmallStack(t, func() {
				p := flow.Of(inc)
				for range c.n {
					p = c.wrap(p)
				}
				parts := 0
				for range flow.Describe(p).All() {
					parts++
				}
				if want := 2 + c.n*c.parts; parts != want {
					t.Errorf("%d parts, want %d", parts, want)
				}
			})
		})
	}
}
