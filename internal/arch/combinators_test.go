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
	ruleGuide = "what makes a plan of stages is named in a page of docs/guide: nobody would find it"
	ruleRow   = "what makes a plan of stages in package flow has a row in internal/combinatortest: tests of all combinators wouldn't know it"
)

// What makes a stage of stages in the packages of combinators is in the guide and, if it belongs to package flow, in the list
// of internal/combinatortest. proptest/storm checks that they are part of random plans.
func TestCombinatorsAreListed(t *testing.T) {
	found, err := unlisted(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

// rowless lists the functions of package flow without a row in internal/combinatortest: a stage of flow.On runs on a loop of a
// group, not on that of the test.
var rowless = []string{"On"}

func unlisted(tree fs.FS) ([]violation, error) {
	sources, err := load(tree)
	if err != nil {
		return nil, err
	}
	guide, err := texts(tree, "docs/guide/*.md")
	if err != nil {
		return nil, err
	}
	rows, err := texts(tree, "internal/combinatortest/*.go")
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
			if s.dir == "flow" && !name.MatchString(rows) && !slices.Contains(rowless, f.Name.Name) {
				found = append(found, s.broken(f, ruleRow, "%s has no row", f.Name.Name))
			}
		}
	}
	return found, nil
}

func texts(tree fs.FS, pattern string) (string, error) {
	files, err := fs.Glob(tree, pattern)
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for _, file := range files {
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return "", err
		}
		all.Write(text)
	}
	return all.String(), nil
}

// takesStages reports whether f makes a stage, a plan or a stream of others.
func takesStages(f *ast.FuncDecl) bool {
	return f.Type.Results != nil && anyStage(f.Type.Results) && anyStage(f.Type.Params)
}

func anyStage(fields *ast.FieldList) (found bool) {
	ast.Inspect(fields, func(n ast.Node) bool {
		if _, is := n.(*ast.FuncType); is {
			return false // a function that returns a stage isn't one
		}
		if name, is := n.(*ast.Ident); is {
			found = found || slices.Contains([]string{"Step", "Plan", "Stream"}, name.Name)
		}
		return true
	})
	return found
}

func TestUnlistedIsFound(t *testing.T) {
	tree := fstest.MapFS{
		"flow/a.go":                    {Data: []byte("package flow\nfunc Known[A any](s step.Step[A, A]) Plan[A, A]\nfunc Lost[A any](s ...step.Step[A, A]) Plan[A, A]\nfunc Source() Plan[int, int]")},
		"loopx/a.go":                   {Data: []byte("package loopx\nfunc Loop[A any](s step.Step[A, A]) flow.Plan[A, A]")},
		"docs/guide/a.md":              {Data: []byte("`flow.Known` is known, and so is flow.Losts, and `Loop`.")},
		"internal/combinatortest/a.go": {Data: []byte("package combinatortest\nvar all = flow.Known")},
	}
	found, err := unlisted(tree)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 2 || found[0].rule != ruleGuide || found[1].rule != ruleRow || !strings.HasPrefix(found[0].what, "Lost ") {
		t.Errorf("found %v", found)
	}
}
