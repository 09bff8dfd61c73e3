package wasm

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// guestGo builds a program in Go, with the SDK.
func guestGo(t testing.TB, source string) []byte {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds the library of Go for WebAssembly")
	}
	out := filepath.Join(t.TempDir(), "guest.wasm")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildmode=c-shared", "-o", out, source)
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if log, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	binary, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// The steps of testdata/steps, made with Go.
func TestGuestGo(t *testing.T) {
	binary := guestGo(t, "./testdata/steps")
	guests(t, binary, Limits{WASI: Basic(), Reuse: true})
	frees(t, binary, Limits{WASI: Basic()})
}
