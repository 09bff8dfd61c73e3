// Cinterop builds and runs a C program whose steps run in this module: it links
// the shared library of cmd/libfutoin.
//
//	go run ./examples/cinterop README.md go.mod
//
// It builds the library and the program and runs the program, and prints the commands for that. The program counts the lines and
// bytes of the files. It shows steps of C in parallel branches, which wait for threads of C, with a mutex, time limits and error
// handlers. Read wc/wc.c first, then wc/file.c.
//
// With -api and a folder that has the C++ API in api and its reference implementation in ri, it builds api/wc.cpp instead: the
// same program in C++, with lambdas as steps. That needs the headers of Boost as well.
//
//	go run ./examples/cinterop -api ../futoin README.md go.mod
//
// It needs cgo and a C compiler: CC or cc, with CFLAGS, and for the program in C++ also CXX or c++, with CXXFLAGS. It links as on
// Linux. The exit status is that of the program, if it runs.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // the second signal has its usual effect
	api := flag.String("api", "", "the `folder` of the C++ API, for the program in C++")
	flag.Parse()
	err := run(ctx, *api, flag.Args(), os.Stdout, os.Stderr)
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(failed.ExitCode()) // as a rule the command has said why
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cinterop:", err)
		os.Exit(1)
	}
}

// run builds the library and the program in a temporary folder, and runs the program on files.
func run(ctx context.Context, api string, files []string, stdout, stderr io.Writer) error {
	module, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/futoin-go/asyncsteps").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	out, err := os.MkdirTemp("", "cinterop")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(out) }() // the result doesn't depend on it
	for _, args := range commands(string(bytes.TrimSpace(module)), api, out, files) {
		fmt.Fprintln(stderr, "$", strings.Join(args, " "))
		cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // those of commands
		cmd.Stdout, cmd.Stderr = stdout, stderr
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	return nil
}

// commands returns the commands that build the library and the program in the folder out, and run the program.
func commands(module, api, out string, files []string) [][]string {
	in := func(path string) string { return filepath.Join(module, filepath.FromSlash(path)) }
	program := filepath.Join(out, "wc")
	library := []string{
		"go", "build", "-buildmode=c-shared", "-o", filepath.Join(out, "libfutoin.so"),
		"github.com/futoin-go/asyncsteps/cmd/libfutoin",
	}
	compile := slices.Concat(
		[]string{cmp.Or(os.Getenv("CC"), "cc"), "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-pedantic"},
		strings.Fields(os.Getenv("CFLAGS")),
		[]string{in("examples/cinterop/wc/wc.c"), in("examples/cinterop/wc/file.c"), in("examples/cinterop/wc/count.c")},
	)
	if api != "" {
		own, _ := filepath.Glob(filepath.Join(api, "ri", "src", "*.cpp")) // without any, the linker fails
		compile = slices.Concat(
			[]string{cmp.Or(os.Getenv("CXX"), "c++"), "-std=c++14"},
			strings.Fields(os.Getenv("CXXFLAGS")),
			[]string{"-I" + filepath.Join(api, "api", "include"), "-I" + filepath.Join(api, "ri", "include")},
			[]string{in("examples/cinterop/api/wc.cpp")}, own,
		)
	}
	compile = append(compile, "-I"+in("cmd/libfutoin"), "-I"+in("binval/cabi"), // ftngo.h, futoin_asyncsteps.h
		"-L"+out, "-lfutoin", "-lpthread", "-Wl,-rpath,"+out, "-o", program)
	return [][]string{library, compile, append([]string{program}, files...)}
}
