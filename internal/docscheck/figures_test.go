package docscheck

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The README takes its figures from the results of the benchmarks: work, time, peer, and the peer's time.
func TestFiguresOfReadme(t *testing.T) {
	measured := [][]string{}
	for _, row := range table(t, "docs/benchmarks/results.md", "| work | asyncsteps | allocs | peer | it takes |") {
		measured = append(measured, []string{row[0], row[1], row[3], row[4]})
	}
	shown := table(t, "README.md", "| Work | asyncsteps | Instead | takes |")
	if len(shown) < 5 {
		t.Errorf("found only %d figures in the README", len(shown))
	}
	for _, row := range shown {
		if !slices.ContainsFunc(measured, func(m []string) bool {
			return m[0] == row[0] && m[1] == row[1] && (row[2] == "" && row[3] == "" || m[2] == row[2] && m[3] == row[3])
		}) {
			t.Errorf("README.md: no row of the results says %q", row)
		}
	}
}

// table returns the cells of a table, whose first line begins with head.
func table(t *testing.T, page, head string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"+head)
	if !found {
		t.Fatalf("%s has no table that begins with %s", page, head)
	}
	var rows [][]string
	for i, line := range strings.Split(rest, "\n") {
		if i < 2 { // the rest of the head, and the line below it
			continue
		}
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}
