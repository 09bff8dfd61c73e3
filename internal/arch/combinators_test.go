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

const ruleGuide = "what makes a plan of stages is named in a page of docs/guide: nobody would find it"

// Whatever makes a stage of stages stands in the guide. That it is part of random plans is checked by proptest/storm.
func TestCombinatorsAreInTheGuide(t *testing.T) {
	found, err := unguided(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

// unguided returns the combinators that the guide doesn't name.
func unguided(tree fs.FS) ([]violation, error) {
	sources, err := load(tree)
	if err != nil {
		return nil, err
	}
	pages, err := fs.Glob(tree, "docs/guide/*.md")
	if err != nil {
		return nil, err
	}
	var guide strings.Builder
	for _, page := range pages {
		text, err := fs.ReadFile(tree, page)
		if err != nil {
			return nil, err
		}
		guide.Write(text)
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
			if !name.MatchString(guide.String()) && !strings.Contains(guide.String(), "`"+f.Name.Name+"`") {
				found = append(found, s.broken(f, ruleGuide, "%s isn't in the guide", f.Name.Name))
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

func TestUnguidedIsFound(t *testing.T) {
	tree := fstest.MapFS{
		"flow/a.go":       {Data: []byte("package flow\nfunc Known[A any](s step.Step[A, A]) Plan[A, A]\nfunc Lost[A any](s ...step.Step[A, A]) Plan[A, A]\nfunc Source() Plan[int, int]")},
		"docs/guide/a.md": {Data: []byte("`flow.Known` is known, and so is flow.Losts.")},
	}
	found, err := unguided(tree)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].rule != ruleGuide || !strings.HasPrefix(found[0].what, "Lost ") {
		t.Errorf("found %v", found)
	}
}
