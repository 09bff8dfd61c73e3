package docscheck

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The gallery has all examples. The lengths in it are right.
func TestGallery(t *testing.T) {
	rows := table(t, "examples/README.md", "| Program | Shows | Plan | Lines | Program |")
	shown := map[string]bool{}
	for _, row := range rows {
		_, link, _ := strings.Cut(row[0], "](")
		dir, _, _ := strings.Cut(link, "/")
		shown[dir] = true
		if row[2] == "" {
			continue
		}
		plan, whole := lines(t, "examples/"+strings.Trim(row[2], "`")), lines(t, "examples/"+dir+"/*.go")
		if row[3] != strconv.Itoa(plan) || row[4] != strconv.Itoa(whole) {
			t.Errorf("examples/README.md: %s has %d lines of %d, not %s of %s", dir, plan, whole, row[3], row[4])
		}
	}
	entries, err := os.ReadDir(filepath.Join(root, "examples"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !shown[e.Name()] {
			t.Errorf("examples/README.md lacks %s", e.Name())
		}
	}
}

// lines counts the lines of the Go files of a pattern, without tests, blank lines and lines that hold only a comment.
func lines(t *testing.T, pattern string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no files, %v", pattern, err)
	}
	n := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				n++
			}
		}
	}
	return n
}
