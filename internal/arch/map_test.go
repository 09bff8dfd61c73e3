package arch

import (
	"bufio"
	"go/ast"
	"os"
	"strings"
	"testing"
)

// docs/internals/ftn12-map.md names only files and tests that exist.
func TestMapOfTheSpecIsTrue(t *testing.T) {
	tests := declaredTests(t)
	f, err := os.Open("../../docs/internals/ftn12-map.md")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		cells := strings.Split(s.Text(), "|")
		if len(cells) != 7 || strings.Contains(s.Text(), "---") || strings.Contains(s.Text(), "FTN12 | Go") {
			continue
		}
		rows++
		file := strings.TrimSpace(cells[4])
		if _, err := os.Stat("../../" + file); err != nil {
			t.Errorf("%s: %v", s.Text(), err)
		}
		for name := range strings.SplitSeq(cells[5], ",") {
			if name = strings.TrimSpace(name); !tests[name] {
				t.Errorf("%s: there is no %q", s.Text(), name)
			}
		}
	}
	if rows < 50 {
		t.Errorf("found only %d rows", rows)
	}
}

func declaredTests(t *testing.T) map[string]bool {
	t.Helper()
	sources, err := load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, s := range sources {
		for _, d := range s.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				found[fn.Name.Name] = true
			}
		}
	}
	return found
}
