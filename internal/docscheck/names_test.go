package docscheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var packages = []string{
	"step", "flow", "flow/draw", "loopx", "httpx", "grpcx", "sqlx", "cron", "syncx", "syncx/nats", "syncx/redis", "fault", "tool", "tool/tooltest",
	"observe", "observe/timeline", "observe/otel", "observe/prometheus", "debug",
	"proptest/explore", "binval", "binval/cabi", "binval/wasm",
}

var (
	inlineCode = regexp.MustCompile("`[^`]+`")
	qualified  = regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*(?:\.[A-Z]\w*)?)`)
)

// What inline code names of these packages exists in them.
func TestNamesExist(t *testing.T) {
	exported, known := map[string]bool{}, map[string]bool{"as": true}
	for _, dir := range packages {
		known[filepath.Base(dir)] = true
		collect(t, dir, exported)
	}
	for _, p := range checked(t) {
		for _, code := range inlineCode.FindAllString(strings.Join(p.prose, "\n"), -1) {
			for _, name := range qualified.FindAllStringSubmatch(code, -1) {
				full := name[0]
				if name[1] == "as" { // the pages' name for a Scope
					full = "step.Scope." + name[2]
				}
				if known[name[1]] && !exported[full] {
					t.Errorf("%s: %s: there is no %s", p.name, code, full)
				}
			}
		}
	}
}

// collect adds the names that a package declares, such as "flow.Run", "flow.Plan.Err" and "flow.Tree.Kind".
func collect(t *testing.T, dir string, into map[string]bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v", dir, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		// An error stands for a file for a newer Go: the part that could be read counts.
		file, _ := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		for _, decl := range file.Decls {
			for _, declared := range names(decl) {
				into[filepath.Base(dir)+"."+declared] = true
			}
		}
	}
}

func names(decl ast.Decl) []string {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil {
			return []string{decl.Name.Name}
		}
		return []string{receiver(decl.Recv.List[0].Type) + "." + decl.Name.Name}
	case *ast.GenDecl:
		var all []string
		for _, spec := range decl.Specs {
			all = append(all, declares(spec)...)
		}
		return all
	}
	return nil
}

func declares(spec ast.Spec) []string {
	var all []string
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, id := range spec.Names {
			all = append(all, id.Name)
		}
	case *ast.TypeSpec:
		all = append(all, spec.Name.Name)
		for _, member := range members(spec.Type) {
			all = append(all, spec.Name.Name+"."+member)
		}
	}
	return all
}

func members(of ast.Expr) []string {
	var fields *ast.FieldList
	switch of := of.(type) {
	case *ast.StructType:
		fields = of.Fields
	case *ast.InterfaceType:
		fields = of.Methods
	default:
		return nil
	}
	var all []string
	for _, field := range fields.List {
		for _, id := range field.Names {
			all = append(all, id.Name)
		}
	}
	return all
}

// receiver returns the name of a receiver's type: T for T, *T and T[A, B].
func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}
