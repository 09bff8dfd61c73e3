package flow_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// named returns a step that differs from other results of named only in its name.
func named(name string) step.Step[int, int] {
	return flow.Named(name, step.Map(func(in int) int { return in }))
}

func stays(step.Scope, error) step.Next[int] { return step.Unwind[int]() }

func TestDiff(t *testing.T) {
	a, b, c, d := named("a"), named("b"), named("c"), named("d")
	plain := step.Map(func(in int) int { return in })
	text := step.Map(func(in int) string { return "" })
	length := step.Map(func(string) int { return 0 })
	flag := step.Map(func(int) bool { return true })
	choose := step.Map(func(bool) int { return 0 })

	var report strings.Builder
	for _, tt := range []struct {
		what     string
		old, new step.Step[int, int]
	}{
		{"nothing", flow.Chain(a, b), flow.Then(a, b)},
		{"added in front: what only moved is not reported", flow.Chain(a, b), flow.Chain(c, a, b)},
		{"added in two places", flow.Chain(a, b), flow.Chain(a, c, b, d)},
		{"removed", flow.Chain(a, b, c), flow.Chain(a, c)},
		{"one added, one removed", flow.Chain(a, b, c), flow.Chain(b, d, c)},
		{"swapped", flow.Chain(a, b), flow.Chain(b, a)},
		{"another kind", flow.Chain(a, plain, c), flow.Chain(a, step.Func(func(_ step.Scope, in int) (int, error) { return in, nil }), c)},
		{"another name", flow.Chain(a, b, c), flow.Chain(a, d, c)},
		{"a name where none was", flow.Chain(a, plain), flow.Chain(a, b)},
		{"another type", flow.Then(text, length), flow.Then(flag, choose)},
		{"a handler added", flow.Chain(a, b), flow.Chain(a, flow.Of(flow.Catch(b, stays)))},
		{"a handler removed", flow.Catch(flow.Chain(a, b), stays), flow.Named("", flow.Chain(a, b))},
		{"a hook added", flow.Timeout(time.Second, a), flow.OnCancel(a, undo)},
		{"deep inside, and moved", flow.Timeout(time.Second, flow.Chain(a, b)), flow.Then(c, flow.Timeout(time.Second, flow.Chain(a, b, d)))},
		{"branches", sum(flow.Par(a, b, c)), sum(flow.Par(a, c, d))},
		{"in a branch", sum(flow.Par(a, flow.Of(b))), sum(flow.Par(a, flow.Chain(b, c)))},
		{"wrapped", flow.Chain(a, b, c), flow.Chain(a, flow.Of(flow.Timeout(time.Second, b)), c)},
		{"a branch may linger", flow.First(a, b), flow.First(a, flow.Linger(time.Second, b))},
		{"inside of what may linger", flow.Linger(time.Second, flow.Chain(a, b)), flow.Linger(time.Second, flow.Chain(a, c, b))},
		{"a name with quotes and lines", named("x"), named("\"y\"\n")},
	} {
		fmt.Fprintf(&report, "# %s\n", tt.what)
		for _, change := range flow.Diff(flow.Describe(tt.old), flow.Describe(tt.new)) {
			fmt.Fprintln(&report, change)
		}
	}
	golden(t, "diff.want", report.String())
}

func TestDiffOfDifferentEnds(t *testing.T) {
	old := flow.Describe(step.Map(func(int) string { return "" }))
	changed := flow.Describe(step.Map(func(int) bool { return true }))
	got := fmt.Sprint(flow.Diff(old, changed))
	if want := "[~ the plan: out string → bool ~ 0: out string → bool]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := fmt.Sprint(flow.Diff(nil, old), flow.Diff(old, nil), flow.Diff(nil, nil)); got != "[+ the plan plan] [- the plan plan] []" {
		t.Errorf("of nothing: %s", got)
	}
}

// There are changes if and only if the digests differ. The numbers of added and removed steps agree with the trees, and
// nothing is reported twice.
func TestDiffAddsUp(t *testing.T) {
	sequence := func(t *rapid.T, what string) *flow.Tree {
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 8).Draw(t, what)
		stages := make([]step.Step[int, int], len(names))
		for i, name := range names {
			stages[i] = named(name)
			if i%3 == 2 {
				stages[i] = flow.Timeout(time.Hour, flow.Then(stages[i], stages[i]))
			}
		}
		return flow.Describe(flow.Chain(stages...))
	}
	rapid.Check(t, func(t *rapid.T) {
		old, changed := sequence(t, "old"), sequence(t, "new")
		changes := flow.Diff(old, changed)
		if (len(changes) == 0) != (old.Digest == changed.Digest) {
			t.Errorf("%d changes, digests %s and %s", len(changes), old.Digest, changed.Digest)
		}
		left, came := map[*flow.Tree]bool{}, map[*flow.Tree]bool{}
		grown := 0
		for _, c := range changes {
			if c.Old != nil && left[c.Old] || c.New != nil && came[c.New] {
				t.Errorf("said twice: %v", c)
			}
			left[c.Old], came[c.New] = true, true
			switch {
			case c.Old == nil:
				grown += count(c.New)
			case c.New == nil:
				grown -= count(c.Old)
			}
		}
		if want := count(changed) - count(old); grown != want {
			t.Errorf("grown by %d, want %d: %v", grown, want, changes)
		}
	})
}

func count(t *flow.Tree) (n int) {
	for range t.All() {
		n++
	}
	return n
}

// Large plans are compared without recursion.
func TestDiffLargePlans(t *testing.T) {
	n := reduced(100_000)
	onSmallStack(t, func() {
		build := func(first, last step.Step[int, int]) *flow.Tree {
			stages := make([]step.Step[int, int], n)
			for i := range stages {
				stages[i] = plantest.Add(i)
			}
			stages[1], stages[n-2] = first, last
			return flow.Describe(flow.Chain(stages...))
		}
		changes := flow.Diff(build(named("a"), named("b")), build(named("c"), named("d")))
		if got := fmt.Sprint(changes); len(changes) != 2 {
			t.Errorf("got %.200s", got)
		}
		deep := func(s step.Step[int, int]) *flow.Tree {
			p := flow.Of(s)
			for range n {
				p = flow.Timeout(time.Hour, p)
			}
			return flow.Describe(p)
		}
		if changes := flow.Diff(deep(named("a")), deep(named("b"))); len(changes) != 1 {
			t.Errorf("%d changes", len(changes))
		}
	})
}
