package arch

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// Each module gets updates of its dependencies, and a decision whether it is released.
func TestModulesAreListed(t *testing.T) {
	updates, err := os.ReadFile("../../.github/dependabot.yml")
	if err != nil {
		t.Fatal(err)
	}
	releases, err := os.ReadFile("../../docs/internals/release.md")
	if err != nil {
		t.Fatal(err)
	}
	modules := modulesOf(t, os.DirFS("../.."))
	if len(modules) < 10 {
		t.Errorf("found only the modules %q", modules)
	}
	for _, dir := range modules {
		if !regexp.MustCompile(`(?m)^ +- ` + regexp.QuoteMeta(path.Join("/", dir)) + `\r?$`).Match(updates) {
			t.Errorf(".github/dependabot.yml lacks the module %s", dir)
		}
		if !regexp.MustCompile("(?m)^\\|[^|]*`" + regexp.QuoteMeta(dir) + "`[^|]*\\| (none|`[^|]*`) \\|").Match(releases) {
			t.Errorf("the table of docs/internals/release.md lacks the module %s", dir)
		}
	}
}

// modulesOf returns the folders of the modules, without those in testdata.
func modulesOf(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var found []string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && name != "."):
			return fs.SkipDir
		case d.Name() == "go.mod":
			found = append(found, path.Dir(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
