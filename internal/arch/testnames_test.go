package arch

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const ruleTestName = "the name of a test file begins with what it tests: x_test.go or x_topic_test.go beside x.go, " +
	"the name of the package for what its files do together, rules_topic_test.go for rules, main_test.go, helpers_test.go"

// named lists the packages whose test files are named for what they test.
var named = append([]string{"observe", "step", "tool"}, combinators...)

// topics are first words of names of test files that aren't names of a file or the package.
var topics = []struct{ word, reason string }{
	{"main", "TestMain"},
	{"helpers", "what several test files use"},
	{"export", "what tests use of the inside"},
	{"rules", "rules of semantics that belong to no single function"},
	{"spec", "examples of FTN12"},
	{"example", "examples of the package"},
}

// kindOfTest matches the end of a name that tells the kind of a file, or its Go version or system.
var kindOfTest = regexp.MustCompile(`_(example|bench|internal|go1\d+|linux|unix|windows)$`)

func TestTestFilesAreNamedForWhatTheyTest(t *testing.T) {
	found, seen, err := misnamed(os.DirFS("../.."))
	if err != nil || seen < 200 {
		t.Fatalf("looked at %d files: %v", seen, err)
	}
	for _, file := range found {
		t.Errorf("%s: %s", file, ruleTestName)
	}
}

// misnamed returns the test files of named whose names don't tell what they test, and how many it has looked at.
func misnamed(tree fs.FS) (found []string, seen int, err error) {
	for _, dir := range named {
		entries, err := fs.ReadDir(tree, dir)
		if err != nil {
			return nil, 0, err
		}
		subjects := []string{path.Base(dir)}
		for _, topic := range topics {
			subjects = append(subjects, topic.word)
		}
		for _, e := range entries {
			if name, isGo := strings.CutSuffix(e.Name(), ".go"); isGo && !strings.HasSuffix(name, "_test") {
				subjects = append(subjects, name)
			}
		}
		for _, e := range entries {
			name, isTest := strings.CutSuffix(e.Name(), "_test.go")
			if !isTest {
				continue
			}
			seen++
			for kindOfTest.MatchString(name) {
				name = kindOfTest.ReplaceAllString(name, "")
			}
			if !slices.ContainsFunc(subjects, func(s string) bool { return name == s || strings.HasPrefix(name, s+"_") }) {
				found = append(found, dir+"/"+e.Name())
			}
		}
	}
	return found, seen, nil
}

func TestMisnamedTestFileIsFound(t *testing.T) {
	for name, want := range map[string]bool{
		"par_test.go":            false,
		"par_limits_test.go":     false,
		"par_example_test.go":    false,
		"plan_go127_test.go":     false,
		"flow_memory_test.go":    false,
		"rules_cancel_test.go":   false,
		"main_test.go":           false,
		"example_test.go":        false,
		"parlimits_test.go":      true,
		"limits_par_test.go":     true,
		"limits_test.go":         true,
		"limits_example_test.go": true,
		"stream_test.go":         true,
	} {
		tree := fstest.MapFS{"flow/par.go": {}, "flow/plan_go127.go": {}, "flow/plan.go": {}, "flow/" + name: {}}
		for _, dir := range named {
			tree[dir+"/doc.go"] = &fstest.MapFile{}
		}
		found, seen, err := misnamed(tree)
		if err != nil || seen != 1 || want != (len(found) == 1) {
			t.Errorf("%s: found %v of %d, %v", name, found, seen, err)
		}
	}
	if _, _, err := misnamed(fstest.MapFS{}); err == nil {
		t.Errorf("%v aren't missed", named)
	}
}
