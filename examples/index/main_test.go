package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/leaktest"
)

// asProgram makes the test binary behave as the program, for tests that need their own process.
const asProgram = "INDEX_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	leaktest.Main(m)
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		open   int
		args   []string
		folder string // "" for an error
	}{
		{1, nil, "."},
		{16, []string{"here"}, "here"},
		{16, []string{"here", "there"}, ""},
		{0, nil, ""},
		{-1, []string{"here"}, ""},
	} {
		if folder, err := options(tt.open, tt.args); folder != tt.folder || (err == nil) != (tt.folder != "") {
			t.Errorf("%d, %q: %q, %v", tt.open, tt.args, folder, err)
		}
	}
}

// sha256sum accepts the index that the program writes for the examples.
func TestIndexOfRealFiles(t *testing.T) {
	sum, err := exec.LookPath("sha256sum")
	if err != nil {
		t.Skip(err)
	}
	var stdout, stderr strings.Builder
	if err := run(t.Context(), os.DirFS(".."), "..", 3, &stdout, &stderr); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if _, main, _ := strings.Cut(stdout.String(), "  ../gateway/main.go\n"); main == "" {
		t.Errorf("not the examples:\n%s", stdout.String())
	}
	check := exec.CommandContext(t.Context(), sum, "--check", "--strict", "--quiet")
	check.Stdin = strings.NewReader(stdout.String())
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The process gets a real signal before it has read a file that would take hours.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process can be sent an interrupt")
	}
	folder := t.TempDir()
	large := filepath.Join(folder, "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 1<<42); err != nil {
		t.Skipf("no such file here: %v", err)
	}
	var stdout strings.Builder
	cmd := exec.CommandContext(t.Context(), os.Args[0], folder)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdout = &stdout
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(log)
	if begins, _ := said.ReadString('\n'); begins != "indexing "+folder+"\n" {
		t.Errorf("said %q", begins)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(said)
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("got %v, want exit status 1", err)
	}
	if !strings.HasPrefix(string(rest), "index: interrupted after 0 of ") || stdout.Len() > 0 {
		t.Errorf("said %q and %q", rest, stdout.String())
	}
}
