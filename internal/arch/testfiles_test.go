package arch

import (
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const ruleTestFile = "a file x.go with exported functions has its tests in x_test.go, so that they are found: " +
	"move them there, or add the file to testedIn"

// combinators lists the packages with a test file for each file that has exported functions.
var combinators = []string{"flow", "loopx", "retry", "share", "stream", "syncx"}

var testedIn = []struct{ file, tests, reason string }{
	{"syncx/breaker_policy.go", "syncx/breaker_test.go", "a policy says something only together with its breaker"},
}

func TestExportedFunctionsHaveTheirTestFile(t *testing.T) {
	found, err := untested(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
	for _, row := range testedIn {
		for _, file := range []string{row.file, row.tests} {
			if _, err := os.Stat("../../" + file); err != nil {
				t.Errorf("testedIn: %v", err)
			}
		}
		if _, err := os.Stat("../../" + strings.TrimSuffix(row.file, ".go") + "_test.go"); err == nil {
			t.Errorf("testedIn: %s has a test file of its name", row.file)
		}
	}
}

func untested(tree fs.FS) ([]violation, error) {
	sources, err := load(tree)
	if err != nil {
		return nil, err
	}
	tests := map[string]bool{}
	for _, s := range sources {
		tests[s.path] = s.test
	}
	for _, row := range testedIn {
		tests[strings.TrimSuffix(row.file, ".go")+"_test.go"] = tests[row.tests]
	}
	var found []violation
	for _, s := range sources {
		if s.test || !slices.Contains(combinators, s.dir) || tests[strings.TrimSuffix(s.path, ".go")+"_test.go"] {
			continue
		}
		for _, d := range s.ast.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if _, exported := exportedFunc(f); exported {
				found = append(found, s.broken(f, ruleTestFile, "%s is exported", f.Name.Name))
				break
			}
		}
	}
	return found, nil
}

func TestMissingTestFileIsFound(t *testing.T) {
	for _, tt := range []struct {
		reason string
		files  map[string]string
		want   int
	}{
		{"none", map[string]string{"flow/a.go": "func A() {}"}, 1},
		{"one", map[string]string{"flow/a.go": "func A() {}", "flow/a_test.go": "func TestA() {}"}, 0},
		{"of another file", map[string]string{"flow/a.go": "func A() {}", "flow/b_test.go": "func TestA() {}"}, 1},
		{"of another package", map[string]string{"flow/a.go": "func A() {}", "stream/a_test.go": "func TestA() {}"}, 1},
		{"nothing exported", map[string]string{"flow/a.go": "func a() {}; type A struct{}"}, 0},
		{"a method", map[string]string{"flow/a.go": "type A struct{}; func (A) M() {}"}, 1},
		{"a method of a generic type", map[string]string{"flow/a.go": "type A[t any] struct{}; func (*A[t]) M() {}"}, 1},
		{"a method of an unexported type", map[string]string{"flow/a.go": "type a[T any] struct{}; func (*a[T]) M() {}"}, 0},
		{"several functions", map[string]string{"flow/a.go": "func A() {}; func B() {}"}, 1},
		{"another package", map[string]string{"tool/a.go": "func A() {}"}, 0},
		{"a package below", map[string]string{"flow/draw/a.go": "func A() {}"}, 0},
		{"listed", map[string]string{"syncx/breaker_policy.go": "func A() {}", "syncx/breaker_test.go": ""}, 0},
		{"listed, and its tests are gone", map[string]string{"syncx/breaker_policy.go": "func A() {}"}, 1},
	} {
		tree := fstest.MapFS{}
		for name, code := range tt.files {
			tree[name] = &fstest.MapFile{Data: fmt.Append(nil, "package p\n", code)}
		}
		if found, err := untested(tree); err != nil || len(found) != tt.want {
			t.Errorf("%s: found %v, %v", tt.reason, found, err)
		}
	}
}
