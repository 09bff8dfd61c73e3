package arch

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// Exported names have examples. A function needs an example under its own name, where the documentation shows it. A method must
// occur in some file with examples, and so must a type or one of its constants and variables, unless the type, a constructor or a method
// has an example: few of them mean much alone. All are checked only by name: a method of the same name on another type counts
// as well.
const (
	ruleExample  = "every exported function has an Example of its own, with its output, so that it runs"
	ruleShown    = "every exported type and method is to be seen in a file with examples"
	ruleExternal = "examples are in the package's external test package: they can do what users can do"
)

// byItself lists methods that need no example, with the reason.
var byItself = map[string]string{
	"Error":  "of the interface error",
	"Is":     "called by errors.Is",
	"Unwrap": "called by errors.Is and errors.As",
	"Format": "called by package fmt",

	"MarshalJSON":   "called by encoding/json",
	"UnmarshalJSON": "called by encoding/json",
	"MarshalText":   "called by encoding packages",
	"UnmarshalText": "called by encoding packages",

	"String":   "called by package fmt",
	"LogValue": "called by package log/slog",
	"Stage":    "seals step.Step",
	"Place":    "for packages of this library: its result has no use elsewhere",
}

func forUsers(dir string) bool {
	first, _, _ := strings.Cut(dir, "/")
	switch {
	case slices.Contains(strings.Split(dir, "/"), "internal"), first == "examples", first == "cmd":
		return false
	case first == "proptest":
		return dir == "proptest/explore" || dir == "proptest/planlaws"
	default:
		return true
	}
}

func TestExportedIsShown(t *testing.T) {
	found, err := unshown(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

func unshown(tree fs.FS) ([]violation, error) {
	sources, err := load(tree)
	if err != nil {
		return nil, err
	}
	files := map[string][]*ast.File{}
	fset := token.NewFileSet()
	for _, s := range sources {
		if !forUsers(s.dir) || newer(s.ast) {
			continue
		}
		text, err := fs.ReadFile(tree, s.path)
		if err != nil {
			return nil, err
		}
		// parsed again, because go/doc needs the files of a package in one set
		file, err := parser.ParseFile(fset, s.path, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files[s.dir] = append(files[s.dir], file)
	}
	var found []violation
	for _, dir := range slices.Sorted(maps.Keys(files)) {
		p, err := newShow(fset, dir, files[dir])
		if err != nil {
			return nil, err
		}
		found = append(found, p.check()...)
	}
	return found, nil
}

// show is a package with its examples.
type show struct {
	fset    *token.FileSet
	doc     *doc.Package
	stages  []*ast.File     // files with examples
	visible map[string]bool // names used in the examples: "flow.Tree" or "Cancel"
}

func newShow(fset *token.FileSet, dir string, files []*ast.File) (*show, error) {
	s := &show{fset: fset, visible: map[string]bool{}}
	for _, f := range files {
		if len(doc.Examples(f)) == 0 {
			continue
		}
		s.stages = append(s.stages, f)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				s.visible[n.Sel.Name] = true
				if pkg, ok := n.X.(*ast.Ident); ok {
					s.visible[pkg.Name+"."+n.Sel.Name] = true
				}
			case *ast.FuncDecl: // an implementation of an interface
				s.visible[n.Name.Name] = s.visible[n.Name.Name] || n.Recv != nil
			}
			return true
		})
	}
	var err error
	s.doc, err = doc.NewFromFiles(fset, files, path.Join(modulePath, dir), doc.PreserveAST)
	return s, err
}

func (s *show) check() []violation {
	var found []violation
	report := func(n ast.Node, rule, name string) {
		at := s.fset.Position(n.Pos())
		found = append(found, violation{
			at: fmt.Sprintf("%s:%d", at.Filename, at.Line), what: s.doc.Name + "." + name, rule: rule,
		})
	}
	for _, f := range s.stages {
		if !strings.HasSuffix(f.Name.Name, "_test") {
			report(f.Name, ruleExternal, "its examples")
		}
	}
	functions := slices.Clone(s.doc.Funcs)
	for _, t := range s.doc.Types {
		functions = append(functions, t.Funcs...)
		seen := s.visible[s.doc.Name+"."+t.Name] || runs(t.Examples) || slices.ContainsFunc(t.Funcs, hasExample)
		for _, group := range slices.Concat(t.Consts, t.Vars) {
			seen = seen || slices.ContainsFunc(group.Names, func(name string) bool { return s.visible[s.doc.Name+"."+name] })
		}
		for _, m := range t.Methods {
			seen = seen || hasExample(m)
			if byItself[m.Name] == "" && !s.visible[m.Name] {
				report(m.Decl, ruleShown, t.Name+"."+m.Name)
			}
		}
		if !seen {
			report(t.Decl, ruleShown, t.Name)
		}
	}
	for _, f := range functions {
		if !hasExample(f) {
			report(f.Decl, ruleExample, f.Name)
		}
	}
	return found
}

func hasExample(f *doc.Func) bool { return runs(f.Examples) }

func runs(examples []*doc.Example) bool {
	return slices.ContainsFunc(examples, func(e *doc.Example) bool { return e.Output != "" || e.EmptyOutput })
}

func TestUnshownIsFound(t *testing.T) {
	for _, tt := range []struct {
		reason   string
		code     string // of package flow
		examples string // of package flow_test
		want     []string
	}{
		{"nothing", `func F() {}`, ``, []string{ruleExample}},
		{"an example", `func F() {}`, "func ExampleF() {\n// Output: 1\n}", nil},
		{"one of several", `func F() {}`, "func ExampleF_empty() {\n// Output: 1\n}", nil},
		{"it prints nothing", `func F() {}`, "func ExampleF() {\n// Output:\n}", nil},
		{"it doesn't run", `func F() {}`, "func ExampleF() { flow.F() }", []string{ruleExample}},
		{"seen in another's", `func F() {}; func G() {}`, "func ExampleG() {\nflow.F()\n// Output: 1\n}", []string{ruleExample}},
		{"unexported", `func f() {}; type t struct{}; func (t) M() {}`, ``, nil},
		{"a constructor", `type T struct{}; func NewT() T { return T{} }`, ``, []string{ruleShown, ruleExample}},
		{"a constructor shows its type", `type T struct{}; func NewT() T { return T{} }`, "func ExampleNewT() {\n// Output: 1\n}", nil},
		{"a type by its name", `type T struct{}`, "func ExampleT() {\n// Output: 1\n}", nil},
		{"a type in use", `type T struct{}; func F(T) {}`, "func ExampleF() {\nflow.F(flow.T{})\n// Output: 1\n}", nil},
		{"a type by its constant", `type T int; const A T = 1; func F() {}`, "func ExampleF() {\nf(flow.A)\n// Output: 1\n}", nil},
		{"a type of another package", `type T struct{}; func F() {}`, "func ExampleF() {\nstep.T()\n// Output: 1\n}", []string{ruleShown}},
		{"a method", `type T struct{}; func (*T) M() {}`, "func ExampleT() {\n// Output: 1\n}", []string{ruleShown}},
		{"a method in use", `type T struct{}; func (*T) M() {}`, "func ExampleT_M() {\nt.M()\n// Output: 1\n}", nil},
		{"a method to be written", `type T interface{ M() }; type A struct{}; func (A) M() {}`,
			"type t struct{}\nfunc (t) M() {}\nfunc Example() {\nvar _ flow.T = t{}\n_ = flow.A{}\n// Output: 1\n}", nil},
		{"fmt's", `type T struct{}; func (T) String() string { return "" }`, "func ExampleT() {\n// Output: 1\n}", nil},
		{"a generic type", `type T[A any] struct{}; func (T[A]) M() {}`, "func ExampleT_M() {\nt.M()\n// Output: 1\n}", nil},
	} {
		found, err := unshown(fstest.MapFS{
			"flow/flow.go":               {Data: []byte("package flow\n" + tt.code)},
			"flow/flow_example_test.go":  {Data: []byte("package flow_test\n" + tt.examples)},
			"flow/flow_test.go":          {Data: []byte("package flow\nfunc TestM() { t.M(); flow.T() }")},
			"internal/frame/frame.go":    {Data: []byte("package frame\nfunc F() {}")},
			"examples/gateway/main.go":   {Data: []byte("package main\nfunc F() {}")},
			"flow/flow_go999.go":         {Data: []byte("//go:build go1.999\n\npackage flow\nfunc New() {}")},
			"flow/testdata/wrong/src.go": {Data: []byte("package wrong\nfunc F() {}")},
		})
		if err != nil {
			t.Errorf("%s: %v", tt.reason, err)
		}
		var rules []string
		for _, v := range found {
			rules = append(rules, v.rule)
		}
		if !slices.Equal(rules, tt.want) {
			t.Errorf("%s:\n%s\n%s\nbreaks %v\nwant   %q", tt.reason, tt.code, tt.examples, found, tt.want)
		}
	}
}

func TestExamplesInsideThePackageAreFound(t *testing.T) {
	found, err := unshown(fstest.MapFS{
		"flow/flow.go":      {Data: []byte("package flow\nfunc F() {}")},
		"flow/flow_test.go": {Data: []byte("package flow\nfunc ExampleF() {\n// Output: 1\n}")},
	})
	if err != nil || len(found) != 1 || found[0].rule != ruleExternal {
		t.Errorf("found %v, %v", found, err)
	}
}
