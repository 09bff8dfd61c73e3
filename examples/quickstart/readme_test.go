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

// The program prints what the README shows; internal/docscheck compares the README with this code and with output.txt.
func TestOutput(t *testing.T) {
	want, err := os.ReadFile("testdata/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		// Checkouts on some systems end lines in CRLF.
		if got := printed(t, main); got != strings.ReplaceAll(string(want), "\r\n", "\n") {
			t.Errorf("it prints\n%s\nand not\n%s", got, want)
		}
	})
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

// Whenever the context ends, a booked seat is given back and no goroutine is left; synctest fails the test if one is.
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
