package docscheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The functions that docs/internals/architecture.md names exist in the files that it names.
func TestFunctionsOfArchitecture(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "internals", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([a-z0-9_/]+\\.go)(?::(\\w+))?`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 50 {
		t.Fatalf("found %d places only: is the page written in another way?", len(named))
	}
	for _, place := range named {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, place[1]), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		if place[2] != "" && !hasFunc(file, place[2]) {
			t.Errorf("%s has no function %s", place[1], place[2])
		}
	}
}

func hasFunc(file *ast.File, name string) bool {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == name {
			return true
		}
	}
	return false
}
