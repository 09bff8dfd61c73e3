package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func Example() {
	main()
	// Output: {42 -1} <nil>
}

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// The README shows exactly this program, so that it compiles and prints what the README says.
func TestReadmeShowsThisProgram(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := goBlock.FindSubmatch(readme)
	if shown == nil {
		t.Fatal("README.md has no ```go block")
	}
	// Checkouts on some systems end lines in CRLF.
	unix := strings.NewReplacer("\r\n", "\n").Replace
	if unix(string(shown[1])) != unix(string(program)) {
		t.Errorf("README.md shows\n%s\nbut main.go is\n%s", shown[1], program)
	}
}

var folderRow = regexp.MustCompile("(?m)^- `([a-z/]+)`")

func TestFoldersOfTheReadmeExist(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := folderRow.FindAllSubmatch(readme, -1)
	if len(rows) == 0 {
		t.Fatal("README.md names no folders")
	}
	for _, row := range rows {
		if info, err := os.Stat("../../" + string(row[1])); err != nil || !info.IsDir() {
			t.Errorf("README.md names %s, which is no folder", row[1])
		}
	}
}
