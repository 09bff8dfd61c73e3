package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// needed skips a test on a machine where the program can't be built.
func needed(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the program is linked the way of Linux")
	}
	cgo, err := exec.CommandContext(t.Context(), "go", "env", "CGO_ENABLED").Output()
	if err != nil || string(bytes.TrimSpace(cgo)) != "1" {
		t.Skip("cgo is off")
	}
	for _, name := range []string{"cc", "mkfifo"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	t.Setenv("CC", "")
	t.Setenv("CFLAGS", "-Werror")
	t.Setenv("TMPDIR", t.TempDir()) // to see that the program leaves nothing there
	t.Cleanup(func() {
		if left, err := filepath.Glob(os.TempDir() + "/cinterop*"); len(left) > 0 || err != nil {
			t.Errorf("left: %q, %v", left, err)
		}
	})
}

// There are more files than the program counts at a time.
func TestFilesAreCounted(t *testing.T) {
	needed(t)
	files, err := filepath.Glob("../gateway/*.go")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var want strings.Builder
	lines, size := 0, 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n := bytes.Count(text, []byte("\n"))
		fmt.Fprintf(&want, "%8d %8d %s\n", n, len(text), name)
		lines, size = lines+n, size+len(text)
	}
	fmt.Fprintf(&want, "%8d %8d total\n", lines, size)

	var stdout, stderr strings.Builder
	if err := run(t.Context(), "", files, &stdout, &stderr); err != nil || stdout.String() != want.String() {
		t.Errorf("%v\n%s\ngot\n%s\nwant\n%s", err, &stderr, &stdout, &want)
	}
}

// The C++ program on the real API does the same, if that API is installed.
func TestFilesAreCountedInCxx(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the reference implementation")
	}
	needed(t)
	api, err := filepath.Abs(cmp.Or(os.Getenv("FUTOIN_CPP"), "../../../shared/cpp"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(api, "ri", "src")); err != nil {
		t.Skipf("no C++ reference implementation: %v; FUTOIN_CPP names another folder", err)
	}
	has := exec.CommandContext(t.Context(), "c++", "-fsyntax-only", "-x", "c++", "-")
	has.Stdin = strings.NewReader("#include <boost/lockfree/spsc_queue.hpp>\n")
	if err := has.Run(); err != nil {
		t.Skipf("no C++ compiler, or no headers of Boost: %v", err)
	}
	t.Setenv("CXX", "")
	t.Setenv("CXXFLAGS", "")
	text, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	err = run(t.Context(), api, []string{"main.go", "missing"}, &stdout, &stderr)
	if failed, ok := errors.AsType[*exec.ExitError](err); !ok || failed.ExitCode() != 1 {
		t.Errorf("got %v, want exit status 1", err)
	}
	lines := bytes.Count(text, []byte("\n"))
	want := fmt.Sprintf("%8d %8d main.go\n%8d %8d total\n", lines, len(text), lines, len(text))
	if stdout.String() != want || !strings.Contains(stderr.String(), "wc: missing: CantRead\n") {
		t.Errorf("%s\ngot\n%swant\n%s", &stderr, &stdout, want)
	}
}

// E1, C3: a file with an error doesn't end the others. Nobody writes to the pipe, so only the limit can end its thread.
func TestFilesThatCannotBeCounted(t *testing.T) {
	needed(t)
	t.Setenv("CFLAGS", "-Werror -DLIMIT_MS=50")
	pipe := filepath.Join(t.TempDir(), "pipe")
	if out, err := exec.CommandContext(t.Context(), "mkfifo", pipe).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	var stdout, stderr strings.Builder
	err := run(t.Context(), "", []string{"missing", pipe, "..", os.DevNull}, &stdout, &stderr)
	if failed, ok := errors.AsType[*exec.ExitError](err); !ok || failed.ExitCode() != 1 {
		t.Errorf("got %v, want exit status 1", err)
	}
	if want := "       0        0 /dev/null\n       0        0 total\n"; stdout.String() != want {
		t.Errorf("got\n%swant\n%s", &stdout, want)
	}
	for _, want := range []string{
		"\nwc: missing: CantRead: No such file or directory\n", "\nwc: " + pipe + ": Timeout: ", " took longer than 50ms\n", "\nwc: ..: CantRead: Is a directory\n",
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("%q is not in\n%s", want, &stderr)
		}
	}
}

// Ctrl-C as the first command begins: the program removes its folder.
func TestInterrupt(t *testing.T) {
	needed(t)
	ctx, cancel := context.WithCancel(t.Context())
	var stdout strings.Builder
	if err := run(ctx, "", nil, &stdout, writer(cancel)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

type writer func()

func (w writer) Write(p []byte) (int, error) {
	w()
	return len(p), nil
}
