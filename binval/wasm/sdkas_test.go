package wasm

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// guestAS compiles a source in AssemblyScript. The script .ci/wasm installs the compiler.
func guestAS(t testing.TB, source string) []byte {
	t.Helper()
	const compiler = "testdata/assemblyscript/node_modules/assemblyscript/bin/asc.js"
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(compiler)
	}
	if err != nil {
		t.Skip("no compiler for AssemblyScript, which bash .ci/wasm installs: ", err)
	}
	dir := t.TempDir()
	for _, name := range []string{"sdk/assemblyscript/futoin.ts", "sdk/assemblyscript/asconfig.json", source} {
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	asc, err := filepath.Abs(compiler)
	if err != nil {
		t.Fatal(err)
	}
	compile := exec.CommandContext(t.Context(), node, asc, "--pedantic", filepath.Base(source), "-o", "guest.wasm")
	compile.Dir = dir
	if log, err := compile.CombinedOutput(); err != nil || len(log) > 0 {
		t.Fatalf("%v\n%s", err, log)
	}
	binary, err := os.ReadFile(filepath.Join(dir, "guest.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// The guest needs nothing of WASI.
func TestGuestAssemblyScript(t *testing.T) {
	binary := guestAS(t, "testdata/assemblyscript/steps.ts")
	guests(t, binary, Limits{})
	wantFreed(t, binary, Limits{Memory: 1 << 20})
	if out, _, err := outcome(t, Step[struct{}, int32](loaded(t, binary, Limits{}), "outlives"), struct{}{}); out != 42 || err != nil {
		t.Errorf("the timer of a step that has ended gave %d, %v", out, err)
	}
	wantTimerBeside(t, binary, Limits{})
	wantLateStepsRefused(t, binary, Limits{Memory: 1 << 20})
	wantArgumentsFreed(t, binary, Limits{Memory: 1 << 20})
	wantZeroBytes(t, binary, Limits{})
	wantTimersForgotten(t, binary, Limits{Memory: 1 << 20})
}
