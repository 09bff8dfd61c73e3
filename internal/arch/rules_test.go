package arch

import (
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

// row is a line of a table in docs/internals/semantics.md.
type row struct {
	rule, file string
	tests      []string // "flow/TestO1"
}

// rulesOf returns the rules in the text of docs/internals/semantics.md, and the rows of its tables.
func rulesOf(text string) (rules []string, rows []row) {
	for line := range strings.Lines(text) {
		if m := regexp.MustCompile(`^- \*\*([A-Z]\d+)\*\* `).FindStringSubmatch(line); m != nil {
			rules = append(rules, m[1])
		}
		if m := regexp.MustCompile(`^\| ([A-Z]\d+) \| (\S+) \| (.+) \|$`).FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			rows = append(rows, row{m[1], m[2], strings.Split(m[3], ", ")})
		}
	}
	return rules, rows
}

// Each rule has a row in a table, in the order of the rules. The row names an existing file, and existing tests that name the
// rule: in their name, their comment, or a string inside.
func TestRulesAreKeptAndTested(t *testing.T) {
	text, err := os.ReadFile("../../docs/internals/semantics.md")
	if err != nil {
		t.Fatal(err)
	}
	rules, rows := rulesOf(string(text))
	if len(rules) < 80 {
		t.Fatalf("found only %d rules", len(rules))
	}
	for i, rule := range rules {
		if i >= len(rows) || rows[i].rule != rule {
			t.Fatalf("the tables of docs/internals/semantics.md have no row of %s at its place: %s | its file | its tests", rule, rule)
		}
	}
	if len(rows) > len(rules) {
		t.Fatalf("the row of %s is of no rule", rows[len(rules)].rule)
	}
	tests := testsByFolder(t)
	for _, r := range rows {
		if _, err := os.Stat("../../" + r.file); err != nil {
			t.Errorf("%s: %v", r.rule, err)
		}
		for _, name := range r.tests {
			said, known := tests[name]
			switch {
			case !known:
				t.Errorf("%s: there is no test %s", r.rule, name)
			case !regexp.MustCompile(`(\b|Test)` + r.rule + `(\b|[A-Z])`).MatchString(said):
				t.Errorf("%s: %s doesn't name it", r.rule, name)
			}
		}
	}
}

// testsByFolder maps tests, by folder and name, to the texts in which they may name rules: name, comment, and strings.
func testsByFolder(t *testing.T) map[string]string {
	t.Helper()
	sources, err := load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, s := range sources {
		for _, d := range s.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Test") {
				continue
			}
			said := fn.Name.Name + "\n" + fn.Doc.Text()
			ast.Inspect(fn, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					said += text.Value + "\n"
				}
				return true
			})
			found[s.dir+"/"+fn.Name.Name] = said
		}
	}
	return found
}
