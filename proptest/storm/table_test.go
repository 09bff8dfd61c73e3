package storm_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryCombinatorIsDrawn checks that the exported functions and methods that combines selects are drawn.
func TestEveryCombinatorIsDrawn(t *testing.T) {
	drawn := map[string]bool{}
	for _, k := range slices.Concat(planKinds, streamKinds) {
		for _, name := range append([]string{k.name}, k.uses...) {
			drawn[name] = true
		}
	}
	for _, row := range gateMakers {
		for _, name := range row.uses {
			drawn[name] = true
		}
	}
	found := map[string]bool{}
	for _, pkg := range []string{"step", "flow", "loopx", "syncx", "retry", "share", "stream"} {
		for _, name := range combinators(t, pkg) {
			found[name] = true
			if !drawn[name] {
				t.Errorf("no row of the storm has %s", name)
			}
		}
	}
	if len(found) < 100 {
		t.Errorf("%d combinators were found", len(found))
	}
}

// combinators returns the names of the combinators in a package, with their package or type.
func combinators(t *testing.T, pkg string) (names []string) {
	files, err := filepath.Glob("../../" + pkg + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "_go127.go") { // the fluent forms call the others
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() && combines(f) {
				names = append(names, nameOf(pkg, f))
			}
		}
	}
	return names
}

// combines reports whether f makes a part of a plan or something that such a part needs.
func combines(f *ast.FuncDecl) bool {
	if f.Type.Results == nil || f.Name.Name == "Stage" {
		return false
	}
	if f.Recv == nil && (strings.HasPrefix(f.Name.Name, "New") || f.Name.Name == "PerKey") {
		return f.Name.Name != "NewVar" // a key of the state
	}
	for _, result := range f.Type.Results.List {
		switch name, _, _ := strings.Cut(types.ExprString(result.Type), "["); name {
		case "flow.Plan", "Plan", "Step", "step.Step", "Stream", "Next", "step.Next", "Ref", "Part", "Branch":
			return true
		}
	}
	return false
}

func nameOf(pkg string, f *ast.FuncDecl) string {
	if f.Recv == nil {
		return pkg + "." + f.Name.Name
	}
	of := strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*")
	of, _, _ = strings.Cut(of, "[")
	return of + "." + f.Name.Name
}
