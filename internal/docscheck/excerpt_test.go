package docscheck

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// Blocks of Go and of text that belong to no program are excerpts of Go files, or of files in testdata.
func TestExcerpts(t *testing.T) {
	known := repository(t)
	for _, p := range checked(t) {
		_, excerpts := p.programs()
		for _, b := range excerpts {
			if !strings.Contains(known, flush(b.text)) {
				t.Errorf("%s:%d: neither a Go file nor one in testdata has\n%s", b.page, b.line, b.text)
			}
		}
	}
}

// repository returns the text of the Go files and of the files in testdata.
func repository(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	tree := os.DirFS(root)
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" && !strings.Contains(name, "/testdata/"):
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		all.WriteString(flush(string(text)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// flush removes the tabs at the beginning of each line, which differ between a page and a file.
func flush(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		b.WriteString(strings.TrimLeft(line, "\t"))
	}
	return b.String()
}
