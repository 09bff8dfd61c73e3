package frame

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The list of files in doc.go is whole, and names no other.
func TestDocNamesEveryFile(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(doc), "// # Files\n")
	list, _, _ = strings.Cut(list, "// # Frames\n")
	named := make(map[string]bool)
	for _, word := range strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(" \n;:,", r) }) {
		if word = strings.TrimSuffix(word, "."); strings.HasSuffix(word, ".go") {
			named[word] = true
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") && file != "doc.go" && !named[file] {
			t.Errorf("%s isn't in the list", file)
		}
		delete(named, file)
	}
	for file := range named {
		t.Errorf("there is no %s", file)
	}
}
