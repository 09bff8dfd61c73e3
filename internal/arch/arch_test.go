package arch

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func check(tree fs.FS) ([]violation, error) {
	sources, err := load(tree)
	if err != nil {
		return nil, err
	}
	var found []violation
	for _, s := range sources {
		found = append(found, checkImports(s)...)
		found = append(found, checkSource(s)...)
		found = append(found, checkExported(s)...)
		found = append(found, checkInternalTypes(s)...)
	}
	return found, nil
}

func TestProjectKeepsItsRules(t *testing.T) {
	found, err := check(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

// Each row of graph names only rows above it, so that imports can't form a cycle.
func TestGraphRunsDownwards(t *testing.T) {
	above := map[string]bool{public: true}
	for _, row := range graph {
		for _, dir := range row.may {
			if !above[dir] {
				t.Errorf("the row of %s names %s, which isn't above it", row.pkg, dir)
			}
		}
		above[row.pkg] = true
	}
}

// Each tree breaks one rule, or looks as if it did.
func TestRulesCanFail(t *testing.T) {
	for _, tt := range []struct {
		reason string
		file   string
		text   string
		want   string // the rule, or "" if none is broken
	}{
		{"fault is at the bottom", "fault/a.go", `import _ "github.com/futoin-go/asyncsteps/tool"`, ruleGraph},
		{"flow meets the machine through plan and op", "flow/a.go", `import _ "github.com/futoin-go/asyncsteps/internal/frame"`, ruleGraph},
		{"neighbours don't know each other", "loopx/a.go", `import _ "github.com/futoin-go/asyncsteps/syncx"`, ruleGraph},
		{"downwards", "flow/a.go", `import _ "github.com/futoin-go/asyncsteps/step"`, ""},
		{"examples use what users can use", "examples/x/main.go", `import _ "github.com/futoin-go/asyncsteps/internal/plan"`, ruleGraph},
		{"all of it", "examples/x/main.go", `import _ "github.com/futoin-go/asyncsteps/tool/tooltest"`, ""},
		{"test helpers are for tests", "step/a.go", `import _ "github.com/futoin-go/asyncsteps/internal/leaktest"`, ruleGraph},
		{"test helpers are for tests", "step/a_test.go", `import _ "github.com/futoin-go/asyncsteps/internal/leaktest"`, ""},
		{"the root package does not exist", "flow/a.go", `import _ "github.com/futoin-go/asyncsteps"`, ruleGraph},
		{"an internal package of a neighbour", "flow/a.go", `import _ "github.com/futoin-go/asyncsteps/internal/queue"`, ruleGraph},
		{"one's own internal package", "tool/tooltest/a.go", `import _ "github.com/futoin-go/asyncsteps/internal/queue"`, ""},
		{"no row", "helpers/a.go", ``, ruleUnknown},
		{"a folder of tests needs no row", "conformance/a_test.go", ``, ""},

		{"a dependency", "flow/a.go", `import _ "golang.org/x/sync/errgroup"`, ruleForeign},
		{"a dependency of a test", "flow/a_test.go", `import _ "golang.org/x/sync/errgroup"`, ruleForeign},
		{"a path that only begins like ours", "flow/a.go", `import _ "github.com/futoin-go/asyncsteps2"`, ruleForeign},
		{"a test library in the product", "flow/a.go", `import _ "pgregory.net/rapid"`, ruleTestOnly},
		{"a package of a test library", "flow/a.go", `import _ "github.com/google/go-cmp/cmp"`, ruleTestOnly},
		{"where it belongs", "flow/a_test.go", `import _ "github.com/google/go-cmp/cmp"`, ""},
		{"where it belongs", "proptest/laws.go", `import _ "pgregory.net/rapid"`, ""},
		{"unsafe", "internal/frame/a_test.go", `import _ "unsafe"`, ruleUnsafe},
		{"unsafe where it belongs", "internal/plan/cell.go", `import _ "unsafe"`, ""},
		{"cgo", "flow/a.go", `import "C"`, ruleUnsafe},
		{"cgo where it belongs", "binval/cabi/a.go", `import "C"`, ""},

		{"a goroutine", "flow/a.go", `func f() { go f() }`, ruleGo},
		{"a goroutine outside await", "internal/op/map.go", `func f() { go f() }`, ruleGo},
		{"a goroutine of the face", "step/await.go", `func f() { go f() }`, ruleGo},
		{"the await step", "internal/op/await.go", `func f() { go f() }`, ""},
		{"a goroutine of a wait group", "flow/a.go", "import \"sync\"\nfunc f(wg *sync.WaitGroup) { wg.Go(nil) }", ruleGo},
		{"a task", "loopx/a.go", "import \"github.com/futoin-go/asyncsteps/flow\"\nfunc f(t flow.Tasks[int, int]) { t.Go(nil, 1) }", ""},
		{"a loop's own", "tool/loop.go", `func f() { go f() }`, ""},
		{"tooltest has none", "tool/tooltest/a.go", `func f() { go f() }`, ruleGo},

		{"the clock", "flow/a.go", "import \"time\"\nvar t = time.Now()", ruleClock},
		{"the clock by another name", "flow/a.go", "import t \"time\"\nvar now = t.Now", ruleClock},
		{"a timer in disguise", "step/a.go", "import \"context\"\nvar f = context.WithTimeout", ruleClock},
		{"durations are no clock", "flow/a.go", "import \"time\"\nconst d = time.Second", ""},
		{"a method of that name", "flow/a.go", "type host struct{}\nfunc (host) Now() {}\nfunc f(time host) { time.Now() }", ""},
		{"dot import", "flow/a.go", "import . \"time\"\nvar t = Now()", ruleDot},
		{"a sleeping test", "flow/a_test.go", "import \"time\"\nfunc f() { time.Sleep(1) }", ruleSleep},
		{"sleep in virtual time", "flow/a_test.go", "import \"time\"\nimport \"testing/synctest\"\nfunc f() { time.Sleep(1); synctest.Wait() }", ""},
		{"a draw that nobody can repeat", "flow/a_test.go", "import \"math/rand/v2\"\nfunc f() { rand.IntN(6) }", ruleRand},
		{"a source with a seed", "flow/a_test.go", "import \"math/rand/v2\"\nvar r *rand.Rand = rand.New(rand.NewPCG(1, 2))", ""},
		{"what is no test may draw", "tool/a.go", "import \"math/rand/v2\"\nfunc f() { rand.IntN(6) }", ""},
		{"recover", "step/a.go", `func f() { defer func() { _ = recover() }() }`, ruleRecover},
		{"recover where it belongs", "internal/frame/call.go", `func f() { defer func() { _ = recover() }() }`, ""},

		{"a parameter", "flow/a.go", `func F(x any) {}`, ruleUntyped},
		{"a result", "flow/a.go", `func F() (x []interface{}) { return nil }`, ruleUntyped},
		{"a function's parameter", "flow/a.go", `func F(f func(map[string]any)) {}`, ruleUntyped},
		{"a type argument", "flow/a.go", `func F(x P[int, any]) {}`, ruleUntyped},
		{"a constraint", "flow/a.go", `func F[T any](x T) T { return x }`, ""},
		{"a constraint of a type", "flow/a.go", `type T[A, B any] struct{ X A }`, ""},
		{"a field", "flow/a.go", `type T struct{ X any }`, ruleUntyped},
		{"an unexported field", "flow/a.go", `type T struct{ x any }`, ""},
		{"an interface method", "flow/a.go", `type T interface{ M(any) }`, ruleUntyped},
		{"a method", "flow/a.go", "type T[A any] struct{}\nfunc (*T[A]) M(any) {}", ruleUntyped},
		{"a method of an unexported type", "flow/a.go", "type t struct{}\nfunc (t) M(any) {}", ""},
		{"a variable", "flow/a.go", `var V any`, ruleUntyped},
		{"an unexported function", "flow/a.go", `func f(x any) {}`, ""},
		{"internal packages", "internal/frame/a.go", `func F(x any) {}`, ""},
		{"an exception", "step/a.go", "type State struct{}\nfunc (State) Get(string) any { return nil }", ""},
		{"next to the exception", "step/a.go", "type States struct{}\nfunc (States) Get(string) any { return nil }", ruleUntyped},

		{"an internal type", "flow/a.go", "import \"github.com/futoin-go/asyncsteps/internal/plan\"\n// F is quick.\nfunc F() *plan.Node { return nil }", ruleInternal},
		{"an internal type of a parameter", "flow/a.go", "import p \"github.com/futoin-go/asyncsteps/internal/plan\"\ntype T struct{}\nfunc (T) F(func(p.Node)) {}", ruleInternal},
		{"an internal type of an interface", "flow/a.go", "import \"github.com/futoin-go/asyncsteps/internal/plan\"\ntype T interface{ F() plan.Node }", ruleInternal},
		{"it says so", "flow/a.go", "import \"github.com/futoin-go/asyncsteps/internal/plan\"\n// F isn't for programs.\nfunc F() *plan.Node { return nil }", ""},
		{"an unexported one", "flow/a.go", "import \"github.com/futoin-go/asyncsteps/internal/plan\"\nfunc f() *plan.Node { return nil }", ""},

		{"the ceiling", "flow/a.go", strings.Repeat("\n", maxLines), ruleLines},
		{"below the ceiling", "flow/a.go", strings.Repeat("\n", maxLines-2), ""},
		{"the ceiling of the machine", "internal/frame/a.go", strings.Repeat("\n", machineLines), ruleLines},
		{"below that", "internal/frame/a.go", strings.Repeat("\n", machineLines-2), ""},
		{"of tests of the machine", "internal/frame/a_test.go", strings.Repeat("\n", machineLines), ""},
		{"testdata is ignored", "flow/testdata/a.go", `func F(x any) {}`, ""},
		{"for a newer Go", "flow/fluent.go", "//go:build go1.999\n\npackage flow\n\nfunc (T) M[A any](x any) {}", ruleUntyped},
	} {
		text := tt.text
		if !strings.Contains(text, "package ") {
			text = "package p\n" + text
		}
		found, err := check(fstest.MapFS{tt.file: {Data: []byte(text)}})
		if err != nil {
			t.Errorf("%s (%s): %v", tt.reason, tt.file, err)
			continue
		}
		var got string
		if len(found) > 0 {
			got = found[0].rule
		}
		if got != tt.want || len(found) > 1 {
			t.Errorf("%s (%s):\n%s\nbreaks %v\nwant   %q", tt.reason, tt.file, tt.text, found, tt.want)
		}
	}
}

// A file that can't be parsed is an error, not a file without violations.
func TestUnreadableFileFails(t *testing.T) {
	if _, err := check(fstest.MapFS{"flow/a.go": {Data: []byte("package")}}); err == nil {
		t.Error("no error")
	}
}

func TestNestedModulesAreLeftAlone(t *testing.T) {
	found, err := check(fstest.MapFS{
		"cmd/go.mod":     {Data: []byte("module x")},
		"cmd/a/main.go":  {Data: []byte("package main\nimport _ \"golang.org/x/tools\"")},
		".hidden/a.go":   {Data: []byte("broken")},
		"_ignored/a.go":  {Data: []byte("broken")},
		"flow/ok.go":     {Data: []byte("package flow")},
		"docs/README.md": {Data: []byte("text")},
	})
	if err != nil || len(found) > 0 {
		t.Errorf("found %v, %v", found, err)
	}
}
