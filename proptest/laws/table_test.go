package laws_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestTableOfLaws checks that every law in docs/internals/laws.md but those of package planlaws has a test, and every trace law
// and algebra law a row there.
func TestTableOfLaws(t *testing.T) {
	text, err := os.ReadFile("../../docs/internals/laws.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := testNames(t)
	checkedBy := map[int]string{}
	for i, row := range regexp.MustCompile(`(?m)^\| (\d+) \|.*\| (\w+) \|$`).FindAllStringSubmatch(string(text), -1) {
		number, _ := strconv.Atoi(row[1])
		if number != i+1 {
			t.Errorf("law %d stands where %d should", number, i+1)
		}
		if !tests[row[2]] {
			t.Errorf("law %d: there is no %s", number, row[2])
		}
		checkedBy[number] = row[2]
	}
	if figure := fmt.Sprintf("\n| Laws | %d |", len(checkedBy)); !strings.Contains(string(text), figure) {
		t.Errorf("the figures don't have the number of laws: %s", figure)
	}
	var trace, algebra []int
	for _, law := range traceLaws {
		trace = append(trace, law.number)
	}
	for _, law := range algebraLaws {
		algebra = append(algebra, law.number)
	}
	for test, numbers := range map[string][]int{"TestTraceLaws": trace, "TestAlgebraLaws": algebra} {
		rows := 0
		for _, by := range checkedBy {
			if by == test {
				rows++
			}
		}
		if rows != len(numbers) {
			t.Errorf("%s checks %d laws, the table says %d", test, len(numbers), rows)
		}
		for _, n := range numbers {
			if checkedBy[n] != test {
				t.Errorf("law %d is checked by %s, the table says %q", n, test, checkedBy[n])
			}
		}
	}
}

func testNames(t *testing.T) map[string]bool {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}
