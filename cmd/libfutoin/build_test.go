//go:build cgo

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
)

var asan = flag.Bool("asan", false, "build the library and the programs with AddressSanitizer")

// strict holds flags under which the header must compile without warnings (B6).
var strict = []string{"-Wall", "-Wextra", "-Werror", "-pedantic"}

var include = []string{"-I.", "-I../../binval/cabi"}

// libraryDir is the folder that library builds in; "" if there is none.
var libraryDir string

var library = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "libfutoin"); err != nil {
		return "", err
	}
	libraryDir = dir
	args := []string{"build", "-buildmode=c-shared", "-o", filepath.Join(dir, "libfutoin.so"), "."}
	if *asan {
		args = slices.Insert(args, 1, "-asan")
	}
	return dir, command("go", args...)
})

func command(name string, args ...string) error {
	if out, err := exec.CommandContext(context.Background(), name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if libraryDir != "" {
		_ = os.RemoveAll(libraryDir)
	}
	os.Exit(code)
}

// compiler returns the path of a compiler and the flags for all programs. It skips the test without such a compiler, and on other
// systems than Linux.
func compiler(t *testing.T, name string) (path string, flags []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the C programs are linked the way of Linux")
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no C compiler: %v", err)
	}
	flags = []string{"-g"}
	if *asan {
		flags = append(flags, "-fsanitize=address", "-fno-omit-frame-pointer")
	}
	return path, flags
}

func program(t *testing.T, cc, source string, flags ...string) string {
	t.Helper()
	cc, common := compiler(t, cc)
	dir, err := library()
	if err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, filepath.Base(source)+".exe")
	args := slices.Concat(common, flags, strict, include, []string{filepath.Join("testdata", source)}, linked(dir), []string{"-o", exe})
	if err := command(cc, args...); err != nil {
		t.Fatal(err)
	}
	return exe
}

func linked(dir string) []string {
	return []string{"-L" + dir, "-lfutoin", "-lpthread", "-Wl,-rpath," + dir}
}

// start runs a program, and fails the test unless the program succeeds.
func start(t *testing.T, exe string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), exe, args...)
	// LeakSanitizer doesn't look into Go's heap, and would report C memory that Go keeps.
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
