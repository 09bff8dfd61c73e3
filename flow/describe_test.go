package flow_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

// facts returns a line "role path kind name" for each part of a Tree.
func facts(t *flow.Tree) (all []string) {
	for t := range t.All() {
		line := string(t.Role) + " " + t.Path + " " + t.Kind
		if t.Name != "" {
			line += " " + t.Name
		}
		all = append(all, line)
	}
	return all
}

func TestDescribe(t *testing.T) {
	s := step.Func(func(_ step.Scope, n none) (none, error) { return n, nil })
	two := flow.Then(s, s)
	for _, c := range []struct {
		name string
		p    step.Step[none, none]
		want []string
	}{
		{"a step", s, []string{"step 0 func"}},
		{"sequences are flat", flow.Then(flow.Then(s, s), flow.Chain[none](s, two)), []string{
			"step 0 func", "step 1 func", "step 2 func", "step 3 func", "step 4 func",
		}},
		{"an empty sequence is a step", flow.Chain[none](), []string{"step 0 chain"}},
		{"a name of a step", flow.Named("a", s), []string{"step 0 func a"}},
		{"the outermost name counts", flow.Named("b", flow.Named("a", s)), []string{"step 0 func b"}},
		{"a name can be taken away", flow.Named("", flow.Named("a", s)), []string{"step 0 func"}},
		{"a name of steps", flow.Named("a", two), []string{"step 0 group a", "step 0/0 func", "step 0/1 func"}},
		{"a handler of a step", flow.Catch(s, unwind), []string{"step 0 func", "handler 0 handler"}},
		{"a handler of steps", flow.Catch(two, unwind), []string{
			"step 0 catch", "step 0/0 func", "step 0/1 func", "handler 0 handler",
		}},
		{"a handler of a sequence of one", flow.Catch(flow.Chain(flow.Chain[none](s)), unwind), []string{"step 0 func", "handler 0 handler"}},
		{"a handler of an empty sequence", flow.Catch(flow.Chain[none](), unwind), []string{"step 0 chain", "handler 0 handler"}},
		{"a handler of a step after an empty sequence", flow.Catch(flow.Then(flow.Chain[none](), s), unwind), []string{
			"step 0 catch", "step 0/0 chain", "step 0/1 func", "handler 0 handler",
		}},
		{"a second handler", flow.Catch(flow.Named("a", flow.Catch(s, unwind)), unwind), []string{
			"step 0 catch", "step 0/0 func a", "handler 0/0 handler", "handler 0 handler",
		}},
		{"a handler of named steps", flow.Catch(flow.Named("a", two), unwind), []string{
			"step 0 group a", "step 0/0 func", "step 0/1 func", "handler 0 handler",
		}},
		{"a handler of named steps whose last one has its own", flow.Catch(flow.Named("a", flow.Then(s, flow.Catch(s, unwind))), unwind), []string{
			"step 0 group a", "step 0/0 func", "step 0/1 func", "handler 0/1 handler", "handler 0 handler",
		}},
		{"a limit", flow.Catch(flow.Timeout(time.Second, s), unwind), []string{
			"step 0 timeout", "step 0/0 func", "handler 0 handler",
		}},
		{"a hook", flow.OnCancel(two, func(step.Scope) {}), []string{
			"step 0 oncancel", "step 0/0 func", "step 0/1 func", "hook 0 hook",
		}},
		{"branches", flow.Then(s, flow.Then(flow.Named("both", flow.Par(s, two)), flow.Value[[]none](none{}))), []string{
			"step 0 func", "step 1 par both",
			"branch 1/par.0 branch", "step 1/par.0/0 func",
			"branch 1/par.1 branch", "step 1/par.1/0 func", "step 1/par.1/1 func",
			"step 2 value",
		}},
		{"elements", flow.Then(flow.Value[none]([]none{}), flow.Then(flow.ParEach(1, two), flow.Value[[]none](none{}))), []string{
			"step 0 value", "step 1 each", "branch 1/each.N branch",
			"step 1/each.N/0 func", "step 1/each.N/1 func", "step 2 value",
		}},
		{"what may linger", flow.First(flow.Linger(time.Second, two), flow.Named("b", flow.Linger(time.Second, s))), []string{
			"step 0 first",
			"branch 0/first.0 branch", "step 0/first.0/0 linger", "step 0/first.0/0/0 func", "step 0/first.0/0/1 func",
			"branch 0/first.1 branch", "step 0/first.1/0 linger b", "step 0/first.1/0/0 func",
		}},
		{"what can be undone", flow.Saga(flow.Then(flow.Undo(s, two), s)), []string{
			"step 0 saga", "step 0/0 undo", "step 0/0/undo.0/0 func",
			"undo 0/0/undo.1 undo", "step 0/0/undo.1/0 func", "step 0/0/undo.1/1 func", "step 0/1 func",
		}},
		{"a call", flow.Call(two), []string{"step 0 call", "step 0/0 func", "step 0/1 func"}},
		{"a copy", flow.CopyFrom(flow.Model[none, none]{Steps: two}), []string{"step 0 copy", "step 1 func", "step 2 func"}},
		{"a missing step", flow.Then(s, flow.Plan[none, none]{}), []string{"step 0 func", "step 1 nil"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, tree := append([]string{"plan  plan"}, c.want...), flow.Describe(c.p)
			if diff := cmp.Diff(want, facts(tree)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for part := range tree.All() {
				if part.Digest == "" {
					t.Errorf("%s %s has no digest", part.Role, part.Path)
				}
			}
		})
	}
}

type order struct{ N int }

func TestDescribeTypesAndSite(t *testing.T) {
	_, file, line, _ := runtime.Caller(0)
	got := flow.Describe(flow.Then(
		step.Map(func(int) map[string][]*order { return nil }),
		step.Map(func(map[string][]*order) [2]error { return [2]error{} }),
	))
	const pkg = "github.com/futoin-go/asyncsteps/flow_test."
	middle := "map[string][]*" + pkg + "order"
	for i, want := range []struct {
		tree    *flow.Tree
		in, out string
	}{
		{got, "int", "[2]error"}, {got.Holds[0], "int", middle}, {got.Holds[1], middle, "[2]error"},
	} {
		if want.tree.In != want.in || want.tree.Out != want.out {
			t.Errorf("%d: %s → %s, want %s → %s", i, want.tree.In, want.tree.Out, want.in, want.out)
		}
	}
	if site, want := got.Holds[0].Site.String(), fmt.Sprint(filepath.Base(file), ":", line+2); site != want {
		t.Errorf("built at %s, want %s", site, want)
	}
	model := flow.CopyFrom(flow.Model[int, string]{Steps: flow.Value[int]("x")})
	if c := flow.Describe(model).Holds[0]; c.In != "int" || c.Out != "int" {
		t.Errorf("copy: %s → %s", c.In, c.Out)
	}
}

func TestDigest(t *testing.T) {
	a := step.Func(func(_ step.Scope, n int) (int, error) { return n, nil })
	b := step.Func(func(_ step.Scope, n int) (int, error) { return n + 1, nil })
	m := step.Map(func(n int) int { return n })
	first := func(p []int) int { return p[0] }
	d := func(s step.Step[int, int]) string { return flow.Describe(s).Digest }

	for _, c := range []struct {
		reason string
		a, b   step.Step[int, int]
		equal  bool
	}{
		{"where it was built and what it does don't count", a, b, true},
		{"Then is associative", flow.Then(flow.Then(a, b), m), flow.Then(a, flow.Then(b, m)), true},
		{"kinds", a, m, false},
		{"names", a, flow.Named("a", a), false},
		{"order", flow.Then(a, m), flow.Then(m, a), false},
		{"structure", flow.Then(a, a), flow.Named("", flow.Then(a, a)), false},
		{"roles", flow.Catch(flow.Chain(a, a), func(step.Scope, error) step.Next[int] { return step.Unwind[int]() }), flow.Named("", flow.Chain(a, a)), false},
		{"types inside", flow.Then(step.Map(func(int) string { return "" }), step.Map(func(string) int { return 0 })),
			flow.Then(step.Map(func(int) bool { return true }), step.Map(func(bool) int { return 0 })), false},
		{"a linger", a, flow.Linger(time.Second, a), false},
		{"a linger and a call", flow.Call(a), flow.Linger(time.Second, a), false},
		{"what lingers", flow.Linger(time.Second, a), flow.Linger(time.Second, m), false},
		{"for how long doesn't count", flow.Linger(time.Second, a), flow.Linger(time.Minute, b), true},
		{"branches", flow.Then(flow.Par(flow.Chain(a, a)), step.Map(first)), flow.Then(flow.Par(a, a), step.Map(first)), false},
	} {
		if (d(c.a) == d(c.b)) != c.equal {
			t.Errorf("%s: equal is %v, want %v", c.reason, !c.equal, c.equal)
		}
	}
}

// The digest of a plan is the same in another process.
func TestDigestIsStable(t *testing.T) {
	p := flow.Then(flow.Named("a", step.Map(func(int) *order { return nil })), flow.Value[*order](1))
	got := flow.Describe(p).Digest
	const child = "ASYNCSTEPS_PRINT_DIGEST"
	if os.Getenv(child) != "" {
		os.Stdout.WriteString("digest " + got + "\n")
		return
	}
	// If this fails because the digest covers other facts, increase the digest's version.
	if want := "fd3f"; got[:4] != want {
		t.Errorf("the digest is %s, want %s…", got, want)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDigestIsStable$", "-test.v")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.Output()
	if err != nil || !slices.Contains(lines(string(out)), "digest "+got) {
		t.Errorf("want digest %s, another process says %v:\n%s", got, err, out)
	}
}

func TestTreeAsJSON(t *testing.T) {
	want := flow.Describe(flow.Catch(flow.Then(flow.Par(plantest.Add(1), plantest.Add(2)), step.Map(func(p []int) int { return p[0] })),
		func(step.Scope, error) step.Next[int] { return step.Fail[int](errors.New("no")) }))
	text, err := json.Marshal(want) //nolint:musttag // a Site is written by the names of its fields
	if err != nil {
		t.Fatal(err)
	}
	var got flow.Tree
	if err := json.Unmarshal(text, &got); err != nil { //nolint:musttag // as above
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, &got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTreeAllStops(t *testing.T) {
	seen := 0
	for range flow.Describe(flow.Chain(plantest.Add(1), plantest.Add(2))).All() {
		if seen++; seen == 2 {
			break
		}
	}
	if seen != 2 {
		t.Errorf("saw %d", seen)
	}
}
