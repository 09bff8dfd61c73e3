package arch

import (
	"go/ast"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const (
	ruleGuide  = "what makes a plan of stages is named in a page of docs/guide: nobody would find it"
	ruleRandom = "what makes a plan of stages is part of random plans, in proptest/storm or proptest/laws: say there how it is built"
)

// Whatever makes a stage of stages stands in the guide and in random plans.
func TestCombinatorsHaveTheirPlaces(t *testing.T) {
	found, err := unplaced(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

// unplaced returns the combinators that the guide doesn't name, or that no random plan has.
func unplaced(tree fs.FS) ([]violation, error) {
	sources, err := load(tree)
	if err != nil {
		return nil, err
	}
	guide, err := textOf(tree, "docs/guide/*.md")
	if err != nil {
		return nil, err
	}
	random, err := textOf(tree, "proptest/*/*_test.go")
	if err != nil {
		return nil, err
	}
	var found []violation
	for _, s := range sources {
		if s.test || !slices.Contains(combinators, s.dir) {
			continue
		}
		for _, d := range s.ast.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !f.Name.IsExported() || !takesStages(f) {
				continue
			}
			name := regexp.MustCompile(`\b` + path.Base(s.dir) + `\.` + f.Name.Name + `\b`)
			if !name.MatchString(guide) && !strings.Contains(guide, "`"+f.Name.Name+"`") {
				found = append(found, s.broken(f, ruleGuide, "%s isn't in the guide", f.Name.Name))
			}
			if !name.MatchString(random) {
				found = append(found, s.broken(f, ruleRandom, "%s isn't drawn", f.Name.Name))
			}
		}
	}
	return found, nil
}

// takesStages reports whether f makes a stage, a plan or a stream of others.
func takesStages(f *ast.FuncDecl) bool {
	return f.Type.Results != nil && anyStage(f.Type.Results) && anyStage(f.Type.Params)
}

func anyStage(fields *ast.FieldList) (found bool) {
	ast.Inspect(fields, func(n ast.Node) bool {
		if _, is := n.(*ast.FuncType); is {
			return false // a function that gives a stage isn't one
		}
		if name, is := n.(*ast.Ident); is {
			found = found || slices.Contains([]string{"Step", "Plan", "Stream"}, name.Name)
		}
		return true
	})
	return found
}

// textOf returns the files of a pattern, one after the other.
func textOf(tree fs.FS, pattern string) (string, error) {
	names, err := fs.Glob(tree, pattern)
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for _, name := range names {
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return "", err
		}
		all.Write(text)
	}
	return all.String(), nil
}

func TestUnplacedIsFound(t *testing.T) {
	tree := fstest.MapFS{
		"flow/a.go":                 {Data: []byte("package flow\nfunc Known[A any](s step.Step[A, A]) Plan[A, A]\nfunc Lost[A any](s ...step.Step[A, A]) Plan[A, A]\nfunc Source() Plan[int, int]")},
		"docs/guide/a.md":           {Data: []byte("`flow.Known` is known, and so is flow.Losts.")},
		"proptest/laws/one_test.go": {Data: []byte("package laws_test\n\nvar known = flow.Known(s)")},
	}
	found, err := unplaced(tree)
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, v := range found {
		rules = append(rules, v.rule)
	}
	if !slices.Equal(rules, []string{ruleGuide, ruleRandom}) {
		t.Errorf("found %v", found)
	}
}
