package arch

import (
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"slices"
	"testing"
	"testing/fstest"
)

const ruleSeed = "property tests draw the same cases in every run of go test: call seedtest.Fix in TestMain"

func TestPropertyTestsHaveTheirSeed(t *testing.T) {
	found, err := unseeded(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

// unseeded finds packages whose tests use rapid without a fixed seed, by the first such file.
func unseeded(tree fs.FS) ([]violation, error) {
	sources, err := load(tree)
	if err != nil {
		return nil, err
	}
	uses := map[string]*source{}
	for _, s := range slices.Backward(sources) {
		if s.test && imports(s.localNames(), "pgregory.net/rapid") && !s.in(seedIn) {
			uses[s.dir] = s
		}
	}
	for _, s := range sources {
		if s.test && fixesSeed(s) {
			delete(uses, s.dir)
		}
	}
	var found []violation
	for _, s := range uses {
		found = append(found, s.broken(s.ast.Name, ruleSeed, "imports rapid"))
	}
	return found, nil
}

func fixesSeed(s *source) (fixes bool) {
	names := s.localNames()
	for _, d := range s.ast.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "TestMain" {
			ast.Inspect(f, func(n ast.Node) bool {
				pkg, name, ok := member(names, n)
				fixes = fixes || ok && pkg == modulePath+"/internal/seedtest" && name == "Fix"
				return true
			})
		}
	}
	return fixes
}

func TestMissingSeedIsFound(t *testing.T) {
	const (
		draws  = "import \"pgregory.net/rapid\"\nfunc TestA() { rapid.Check() }"
		fixes  = "import \"github.com/futoin-go/asyncsteps/internal/seedtest\"\nfunc TestMain() { seedtest.Fix() }"
		doesnt = "import \"github.com/futoin-go/asyncsteps/internal/leaktest\"\nfunc TestMain() { leaktest.Main() }"
	)
	for _, tt := range []struct {
		reason string
		files  map[string]string
		want   int
	}{
		{"no TestMain", map[string]string{"flow/a_test.go": draws, "flow/b_test.go": draws}, 1},
		{"one that does something else", map[string]string{"flow/a_test.go": draws, "flow/main_test.go": doesnt}, 1},
		{"one that sets it", map[string]string{"flow/a_test.go": draws, "flow/main_test.go": fixes}, 0},
		{"that of another package", map[string]string{"flow/a_test.go": draws, "step/main_test.go": fixes}, 1},
		{"nothing is drawn", map[string]string{"flow/main_test.go": doesnt}, 0},
		{"a flag of its own", map[string]string{"difftest/a_test.go": draws}, 0},
	} {
		tree := fstest.MapFS{}
		for name, code := range tt.files {
			tree[name] = &fstest.MapFile{Data: fmt.Append(nil, "package p\n", code)}
		}
		if found, err := unseeded(tree); err != nil || len(found) != tt.want {
			t.Errorf("%s: found %v, %v", tt.reason, found, err)
		}
	}
}
