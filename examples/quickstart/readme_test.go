package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
)

func Example() {
	main()
	// Output:
	// seat 12A is booked for 80
	// the bank doesn't answer
	// the bank doesn't answer
	// seat 12A is given back
	// Timeout: step 0/2/0/0 bank took longer than 50ms (at 0/2/0/0 "bank") (and 1 more)
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
	for _, name := range []string{"README.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		rows := folderRow.FindAllSubmatch(text, -1)
		if len(rows) == 0 {
			t.Errorf("%s names no folders", name)
		}
		for _, row := range rows {
			if info, err := os.Stat("../../" + string(row[1])); err != nil || !info.IsDir() {
				t.Errorf("%s names %s, which is no folder", name, row[1])
			}
		}
	}
}

// Whenever the context ends, a seat that has been booked is given back, and no goroutine is left: a bubble with one
// fails.
func TestCancelledTrips(t *testing.T) {
	booked := 0
	for after := time.Duration(0); after < 160*time.Millisecond; after += 5 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			said := printed(t, func() {
				if _, err := flow.Run(ctx, trip, "Oslo"); err == nil {
					t.Errorf("no error after %v", after)
				}
			})
			in, out := strings.Count(said, "is booked"), strings.Count(said, "is given back")
			if in != out {
				t.Errorf("after %v: booked %d times, given back %d times", after, in, out)
			}
			booked += in
		})
	}
	if booked < 10 {
		t.Errorf("only %d trips were cancelled with a seat", booked)
	}
}

// printed returns what f prints.
func printed(t *testing.T, f func()) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	defer func(screen *os.File) { os.Stdout = screen }(os.Stdout)
	os.Stdout = file
	f()
	said, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}
