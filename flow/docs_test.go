package flow_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What can't be a method, and what the compiler says about it.
func TestNoMethodWrapsTheResult(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	golden(t, "cycle/method.want", compile(t, "testdata/cycle/method.go.txt"))
}

var fenced = regexp.MustCompile("(?s)```(go|text)\n(.*?)```")

// What docs/fluent.md shows is in a file of this folder: code in a test, so it
// compiles, and messages of the compiler in a golden file.
func TestFluentDoc(t *testing.T) {
	files, err := filepath.Glob("*style*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var known strings.Builder
	for _, file := range append(files, "testdata/cycle/method.want") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		known.WriteString(flush(string(text)))
	}
	doc, err := os.ReadFile("../docs/fluent.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := fenced.FindAllStringSubmatch(flush(string(doc)), -1)
	if len(blocks) < 5 {
		t.Errorf("%d blocks", len(blocks))
	}
	for _, block := range blocks {
		if !strings.Contains(known.String(), block[2]) {
			t.Errorf("no test has\n%s", block[2])
		}
	}
}

// flush leaves out what begins a line, which differs between a document and a
// file.
func flush(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		b.WriteString(strings.TrimLeft(line, "\t"))
	}
	return b.String()
}
