//go:build cgo

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// strict is what the header has to pass (B6).
var strict = []string{"-Wall", "-Wextra", "-Werror", "-pedantic", "-g", "-I.", "-I../../binval/cabi"}

// library builds the shared library, once.
var library = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "libfutoin"); err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-buildmode=c-shared", "-o", filepath.Join(dir, "libfutoin.so"), ".").CombinedOutput()
	if err != nil {
		err = &buildError{err, string(out)}
	}
	return dir, err
})

type buildError struct {
	error
	out string
}

func (e *buildError) Error() string { return e.error.Error() + "\n" + e.out }

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := library(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// program compiles a source of testdata against the library.
func program(t *testing.T, compiler, source string, flags ...string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the C programs are linked the way of Linux")
	}
	cc, err := exec.LookPath(compiler)
	if err != nil {
		t.Skipf("no C compiler: %v", err)
	}
	dir, err := library()
	if err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, filepath.Base(source)+".exe")
	args := slices.Concat(flags, strict, []string{filepath.Join("testdata", source), "-L" + dir, "-lfutoin", "-lpthread", "-Wl,-rpath," + dir, "-o", exe})
	if out, err := exec.CommandContext(t.Context(), cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

// cases of cases.c, with the rules that they check.
var cases = []struct{ name, rules string }{
	{"levels", "O2: add"},
	{"arguments", "B1: values between steps, cleanups once; entry success"},
	{"dropped", "B1, L4, P2: values that reach nobody are reset once"},
	{"twice_is_violation", "E7: success twice"},
	{"errors", "E1, E2, B2: handlers rename and recover; entry handle_error"},
	{"steps_in_handler", "E2: sub-steps in a handler"},
	{"strings_are_copied", "B3, E3: code and info are copied, NULL info is none"},
	{"violations", "B9, E7, E8: each is InternalError on that run"},
	{"execute_twice", "E7: execute"},
	{"branches", "P1, P3, B7: parallel, rootId"},
	{"nested_parallel", "P1, B4: parallel in parallel, in a step"},
	{"state", "B7: stateVariable, before and while executing"},
	{"stack", "S3: stack, cleanups newest first, after the handler"},
	{"timeouts", "C3, C4: setTimeout, setCancel"},
	{"external", "C6, O5, B8: waitExternal, sched_deferred, sched_cancel, sched_is_valid, is_same_thread"},
	{"threads", "O5: completion by another thread, even before the code returns; others are refused"},
	{"loops", "L1-L3, B3: loop, repeat, breakLoop, continueLoop"},
	{"cancel", "C1: cancel, sched_immediate"},
	{"instances", "B4: newInstance, free of one made, live, and in its callback"},
	{"guards", "G1-G5: addSync with all three guards"},
	{"layout", "B6: sizes and order"},
	{"driving", "ftngo_run, ftngo_iterate"},
	{"shutdown", "ftngo_tool_free cancels what runs"},
	{"million", "10^6 steps without growth"},
}

func TestC(t *testing.T) {
	exe := program(t, "cc", "cases.c", "-std=c11", "-D_POSIX_C_SOURCE=200809L")
	for _, c := range cases {
		t.Run(c.name+" "+c.rules, func(t *testing.T) {
			out, err := exec.CommandContext(t.Context(), exe, c.name).CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			t.Logf("%s", out)
		})
	}
}

func TestCPlusPlus(t *testing.T) {
	exe := program(t, "c++", "hello.cpp", "-std=c++17")
	if out, err := exec.CommandContext(t.Context(), exe).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A case that is only in the C source would never run here.
func TestEveryCaseIsListed(t *testing.T) {
	source, err := os.ReadFile("testdata/cases.c")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`CASE\((\w+)\)`).FindAllSubmatch(source, -1)
	if len(found) != len(cases)+1 { // the macro itself is CASE(f)
		t.Errorf("%d cases in C, %d here", len(found)-1, len(cases))
	}
	for _, c := range cases {
		if !bytes.Contains(source, []byte("CASE("+c.name+")")) {
			t.Errorf("no case %s", c.name)
		}
	}
}
