package wasm

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// loaded loads a module, and checks at the end of the test that no instance of it is in use.
func loaded(t testing.TB, binary []byte, limits Limits) *Module {
	t.Helper()
	m, err := Load(context.Background(), binary, limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if m.used != 0 {
			t.Errorf("%d instances are still in use", m.used)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// outcome runs a plan in virtual time. reported are the errors that the loop's error handler has got.
func outcome[In, Out any](t testing.TB, s step.Step[In, Out], in In) (out Out, reported []error, err error) {
	t.Helper()
	loop := tooltest.New(tooltest.WithHost(tool.WithOnError(func(err error) { reported = append(reported, err) })))
	run := flow.Start(context.Background(), loop, s, in)
	loop.Run()
	select {
	case <-run.Done():
		out, err = run.Result()
	default:
		t.Fatal("the run hasn't ended")
	}
	return out, reported, err
}

func unitStep(m *Module, export string) step.Step[struct{}, struct{}] {
	return Step[struct{}, struct{}](m, export)
}

func guestC(t testing.TB, source string, flags ...string) []byte {
	t.Helper()
	clang, err := exec.LookPath("clang")
	if err == nil {
		_, err = os.Stat("/usr/include/wasm32-wasi")
	}
	if err != nil {
		t.Skip("no clang with wasi-libc: ", err)
	}
	out := filepath.Join(t.TempDir(), "guest.wasm")
	args := slices.Concat([]string{
		"--target=wasm32-wasi", "-mexec-model=reactor", "-O2", "-Wall", "-Wextra", "-Werror", "-Isdk/c", "-I../cabi",
		source, "sdk/c/futoin_guest.c", "-o", out,
	}, flags)
	if log, err := exec.CommandContext(t.Context(), clang, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	binary, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}
