package wasm

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The steps of testdata/steps, made with Go.
func TestGuestGo(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the library of Go for WebAssembly")
	}
	out := filepath.Join(t.TempDir(), "steps.wasm")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildmode=c-shared", "-o", out, "./testdata/steps")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if log, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	binary, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	guests(t, binary, Limits{WASI: Basic(), Reuse: true})
}
