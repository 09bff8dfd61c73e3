package arch

import (
	"bufio"
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The linter requires that comments of exported names, except constants, begin with the name. These tests check the contents
// of comments.

// A rule that a comment names, like (C3), exists in docs/internals/semantics.md.
func TestRulesNamedInCommentsExist(t *testing.T) {
	text, err := os.ReadFile("../../docs/internals/semantics.md")
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	for _, rule := range regexp.MustCompile(`(?m)^- \*\*([A-Z]\d+)\*\*`).FindAllSubmatch(text, -1) {
		rules[string(rule[1])] = true
	}
	if len(rules) < 50 {
		t.Errorf("found only %d rules in docs/internals/semantics.md", len(rules))
	}
	sources, err := load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, s := range sources {
		for _, group := range s.ast.Comments {
			for _, rule := range rulesIn(whole(group)) {
				named++
				if !rules[rule] {
					t.Error(s.broken(group, "rules stand in docs/internals/semantics.md", "names a rule %s", rule))
				}
			}
		}
	}
	if named < 100 {
		t.Errorf("found only %d names of rules in comments", named)
	}
}

// ruleName matches a rule in brackets, alone or with others, or after the word rule: "(C3)", "(B9, E7)", "rule T1",
// "rules O5, C6".
var ruleName = regexp.MustCompile(`\(([A-Z]\d{1,2}(?:(?:, | and )[A-Z]\d{1,2})*)[):]|\brules? ([A-Z]\d{1,2}\b(?:(?:, | and )[A-Z]\d{1,2}\b)*)`)

func rulesIn(text string) []string {
	var rules []string
	for _, names := range ruleName.FindAllStringSubmatch(text, -1) {
		rules = append(rules, regexp.MustCompile(`[A-Z]\d+`).FindAllString(names[1]+names[2], -1)...)
	}
	return rules
}

func TestRulesIn(t *testing.T) {
	for text, want := range map[string][]string{
		"at the step (C3). Then":          {"C3"},
		"by arrival (rule T1). Who":       {"T1"},
		"executing (B9, E7); a call":      {"B9", "E7"},
		"bounded (T1 and T2)":             {"T1", "T2"},
		"ftn12 §1.3; rules O5, C6":        {"O5", "C6"},
		"rule C8":                         {"C8"},
		"func(A1 int)":                    nil,
		"see RFC (2119) and V1 (v1.2)":    nil,
		"a letter alone (E) or U+00A0":    nil,
		"handlers don't (C1); it ignores": {"C1"},
	} {
		if got := rulesIn(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// docs/internals/ftn12-map.md lists the names for each section of the specification. The comment of each name must give the
// section too.
func TestCommentsNameTheirSections(t *testing.T) {
	comments := exportedComments(t)
	f, err := os.Open("../../docs/internals/ftn12-map.md")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	checked := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		cells := strings.Split(s.Text(), "|")
		if len(cells) != 7 {
			continue
		}
		section := strings.TrimSpace(cells[1])
		for _, name := range regexp.MustCompile("`([a-z]+\\.[A-Z]\\w+(?:\\.[A-Z]\\w+)?)`").FindAllStringSubmatch(cells[3], -1) {
			comment, known := comments[name[1]]
			if !known {
				t.Errorf("%s: there is no %s", section, name[1])
				continue
			}
			checked++
			if !namesSection(comment, section) {
				t.Errorf("%s: the comment of %s doesn't name the section", section, name[1])
			}
		}
	}
	if checked < 50 {
		t.Errorf("checked only %d names", checked)
	}
}

// namesSection reports whether a comment has a section like §1.1, and not only §1.11 or §1.1.2.
func namesSection(comment, section string) bool {
	return regexp.MustCompile(`§` + regexp.QuoteMeta(section) + `([^.\d]|\.\D|\.?$)`).MatchString(comment)
}

func TestNamesSection(t *testing.T) {
	for comment, want := range map[string]bool{
		"FTN12 §1.1.":                true,
		"FTN12 §1.1, §2.2.1 add.":    true,
		"FTN12 §1.1\n":               true,
		"(FTN12 §1.1). It":           true,
		"FTN12 §1.1":                 true,
		"FTN12 §1.11.":               false,
		"FTN12 §1.1.2.":              false,
		"FTN12 §2.1.1":               false,
		"version 1.1 of the library": false,
	} {
		if got := namesSection(comment, "1.1"); got != want {
			t.Errorf("%q: got %v", comment, got)
		}
	}
}

// exportedComments returns doc comments by name, such as "step.Wait" and "step.Done.Fail".
func exportedComments(t *testing.T) map[string]string {
	t.Helper()
	sources, err := load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, s := range sources {
		if s.test || !forUsers(s.dir) {
			continue
		}
		pkg := s.ast.Name.Name + "."
		for _, decl := range s.ast.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if name, ok := exportedFunc(d); ok {
					found[pkg+name] = whole(d.Doc)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					commentsOf(d, spec, func(name, text string) { found[pkg+name] = text })
				}
			}
		}
	}
	return found
}

// commentsOf calls keep with the comments of a spec and of its group.
func commentsOf(d *ast.GenDecl, spec ast.Spec, keep func(name, text string)) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		keep(spec.Name.Name, whole(d.Doc)+whole(spec.Doc))
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			keep(name.Name, whole(d.Doc)+whole(spec.Doc)+whole(spec.Comment))
		}
	}
}
