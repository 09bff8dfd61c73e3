package arch

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What users read in go doc names no sections of the specification and no rules of docs/internals/semantics.md. A directive
// does, "//spec:ftn12 §1.4; rule E7", which go doc leaves out. That also holds for nested modules.
func TestReferencesStandLast(t *testing.T) {
	for module, least := range map[string]int{
		".":                  800,
		"durable":            20,
		"durable/sqlite":     10,
		"durable/temporal":   10,
		"grpcx":              20,
		"binval/wasm":        2,
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
					t.Error(s.broken(group, `references stand in the last line, "//spec:ftn12 §1.4; rule E7"`, "names %s", found))
				}
				if wrong := misspelt(group); wrong != "" {
					t.Error(s.broken(group, `references look like "//spec:ftn12 §1.4; rule E7"`, "has %q", wrong))
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
		"Fail fails.":                      "",
		"Fail fails (E7).":                 "[E7]",
		"Fail fails, see rule E7.":         "[E7]",
		"Fail fails. FTN12 §1.4.":          "§",
		"Fail fails.\n\nSpec: rule E7.":    "[E7]",
		"Fail is for UTF-8 and T1 lines.":  "",
		"Fail fails.\n\nSpec: FTN12 §1.4.": "§",
	} {
		if got := references(comment); got != want {
			t.Errorf("%q: got %q, want %q", comment, got, want)
		}
	}
}

// references returns "§" if a text names a section, otherwise the rules that it names, or "".
func references(text string) string {
	if strings.Contains(text, "§") {
		return "§"
	}
	if rules := rulesIn(text); rules != nil {
		return fmt.Sprint(rules)
	}
	return ""
}

func TestMisspelt(t *testing.T) {
	for line, good := range map[string]bool{
		"//spec:ftn12 §1.4; rule E7":           true,
		"//spec:ftn12 §1.4, §2.2.1 parallel":   true,
		"//spec:ftn12 §1.1–1.7; rules C1, C10": true,
		"//spec:rule E7":                       true,
		"//go:noinline":                        true,
		"// Fail fails.":                       true,
		"//spec:FTN12 §1.4":                    false,
		"//spec:ftn12 §1.4.":                   false,
		"//spec:ftn12 §1.4; E7":                false,
		"// spec:ftn12 §1.4":                   false,
		"//spec: rule E7":                      false,
	} {
		got := misspelt(&ast.CommentGroup{List: []*ast.Comment{{Text: line}}})
		if want := map[bool]string{false: line}[good]; got != want {
			t.Errorf("%q: got %q", line, got)
		}
	}
}

var (
	specLine = regexp.MustCompile(`^// ?spec:`)
	wellMade = regexp.MustCompile(`^//spec:(ftn12 §[^;]*[^.; ]|ftn12 §[^;]*; rules? [A-Z0-9, ]*\d|rules? [A-Z0-9, ]*\d)$`)
)

// misspelt returns the first line for references that isn't well made, or "".
func misspelt(group *ast.CommentGroup) string {
	for _, line := range group.List {
		if specLine.MatchString(line.Text) && !wellMade.MatchString(line.Text) {
			return line.Text
		}
	}
	return ""
}

// whole returns the text of a comment with the line for references, which Text leaves out.
func whole(group *ast.CommentGroup) string {
	text := group.Text()
	if group == nil {
		return text
	}
	for _, line := range group.List {
		if of, found := strings.CutPrefix(line.Text, "//spec:"); found {
			text += of + "\n"
		}
	}
	return text
}

// exportedGroups returns the comments that documentation shows: of the package, of exported names, and of their exported fields
// and methods.
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
