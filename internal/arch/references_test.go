package arch

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// Comments describe names in words. Sections of the specification, and rules of docs/internals/semantics.md, are named in the
// last paragraph only: "Spec: FTN12 §1.4; rule E7." That holds for the packages of nested modules too.
func TestReferencesStandLast(t *testing.T) {
	for module, least := range map[string]int{
		".":                  800,
		"durable":            20,
		"durable/temporal":   10,
		"syncx/nats":         10,
		"syncx/redis":        10,
		"observe/otel":       5,
		"observe/prometheus": 5,
	} {
		sources, err := load(os.DirFS(filepath.Join("../..", module)))
		if err != nil {
			t.Fatal(err)
		}
		checked := 0
		for _, s := range sources {
			if s.path = path.Join(module, s.path); s.test || !forUsers(path.Join(module, s.dir)) {
				continue
			}
			for _, group := range exportedGroups(s.ast) {
				checked++
				if found := references(group.Text()); found != "" {
					t.Error(s.broken(group, `references stand in the last paragraph, "Spec: …"`, "names %s before it", found))
				}
			}
		}
		if checked < least {
			t.Errorf("%s: checked only %d comments", module, checked)
		}
	}
}

func TestReferences(t *testing.T) {
	for comment, want := range map[string]string{
		"Fail fails.\n\nSpec: FTN12 §1.4; rule E7.\n":              "",
		"Fail fails (E7).\n":                                       "[E7]",
		"Fail fails, see rule E7.\n\nSpec: FTN12 §1.4.\n":          "[E7]",
		"Fail fails. FTN12 §1.4.\n":                                "§",
		"Spec: FTN12 §1.4.\n\nFail fails.\n":                       "§",
		"Fail is for UTF-8 and T1 lines.\n":                        "",
		"Package x.\n\nFTN12 is the specification at x; a § is.\n": "",
	} {
		if got := references(comment); got != want {
			t.Errorf("%q: got %q, want %q", comment, got, want)
		}
	}
}

// references returns the sections and rules that a comment names outside of its last paragraph, or in a last paragraph
// that isn't "Spec: …". The paragraph at the end of package comments that explains how sections and rules are named is
// allowed.
func references(text string) string {
	text = strings.TrimSpace(text)
	last := strings.LastIndex(text, "\n\n") + 1
	for _, begins := range []string{"Spec: ", "FTN12 is the specification at"} {
		if strings.HasPrefix(strings.TrimSpace(text[last:]), begins) {
			text = text[:last]
			break
		}
	}
	if strings.Contains(text, "§") {
		return "§"
	}
	if rules := rulesIn(text); rules != nil {
		return fmt.Sprint(rules)
	}
	return ""
}

// exportedGroups returns the comments that documentation shows: those of the package and
// of exported names, their exported fields and methods.
func exportedGroups(f *ast.File) []*ast.CommentGroup {
	groups := []*ast.CommentGroup{f.Doc}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if _, exported := exportedFunc(d); exported {
				groups = append(groups, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				groups = append(groups, exportedIn(d, spec)...)
			}
		}
	}
	kept := groups[:0]
	for _, group := range groups {
		if group != nil {
			kept = append(kept, group)
		}
	}
	return kept
}

func exportedIn(d *ast.GenDecl, spec ast.Spec) []*ast.CommentGroup {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if !spec.Name.IsExported() {
			return nil
		}
		return append(exportedFields(spec.Type), d.Doc, spec.Doc, spec.Comment)
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if name.IsExported() {
				return []*ast.CommentGroup{d.Doc, spec.Doc, spec.Comment}
			}
		}
	}
	return nil
}

func exportedFields(of ast.Expr) []*ast.CommentGroup {
	fields := fieldsOf(of)
	if fields == nil {
		return nil
	}
	var groups []*ast.CommentGroup
	for _, field := range fields.List {
		for _, name := range field.Names {
			if name.IsExported() {
				groups = append(groups, field.Doc, field.Comment)
				break
			}
		}
	}
	return groups
}
