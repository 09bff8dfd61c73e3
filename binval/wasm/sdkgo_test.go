package wasm

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func guestGo(t testing.TB, source string) []byte {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds the library of Go for WebAssembly")
	}
	return builtGo(t, "build", source)
}

// builtGo returns the module that a command of go makes for WebAssembly.
func builtGo(t testing.TB, args ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "guest.wasm")
	build := exec.CommandContext(t.Context(), "go", slices.Concat(args[:len(args)-1], []string{"-buildmode=c-shared", "-o", out}, args[len(args)-1:])...)
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

func TestGuestGo(t *testing.T) {
	binary := guestGo(t, "./testdata/steps")
	guests(t, binary, Limits{WASI: Basic(), Reuse: true})
	wantFreed(t, binary, Limits{WASI: Basic()})
	wantZeroBytes(t, binary, Limits{WASI: Basic()})
}

// Give of a part of a slice doesn't write a terminator into the rest of the slice.
func TestGuestGoGivesPartOfSlice(t *testing.T) {
	m := loaded(t, guestGo(t, "./testdata/steps"), Limits{WASI: Basic()})
	if out, _, err := outcome(t, Step[struct{}, int32](m, "part"), struct{}{}); out != 2 || err != nil {
		t.Errorf("the byte behind is %d, want 2; %v", out, err)
	}
}

func TestGuestGoTimers(t *testing.T) {
	binary := guestGo(t, "./testdata/steps")
	wantTimerBeside(t, binary, Limits{WASI: Basic()})
	wantTimersForgotten(t, binary, Limits{WASI: Basic(), Memory: 16 << 20})
}

func TestGuestGoFreesArguments(t *testing.T) {
	wantArgumentsFreed(t, guestGo(t, "./testdata/steps"), Limits{WASI: Basic(), Memory: 16 << 20})
}

func TestGuestGoRefusesLateSteps(t *testing.T) {
	wantLateStepsRefused(t, guestGo(t, "./testdata/steps"), Limits{WASI: Basic(), Memory: 16 << 20})
}

// Times are rounded up to milliseconds. Numbers that the table has no room for become the nearest ones.
func TestGuestGoRounds(t *testing.T) {
	m := loaded(t, guestGo(t, "./testdata/steps"), Limits{WASI: Basic(), Turn: time.Minute})
	for n, want := range map[int64]int32{-1: 0, 0: 0, 3: 3, 1 << 32: 10, math.MinInt64: 0} {
		if turns, _, err := outcome(t, Step[int64, int32](m, "repeats"), n); turns != want || err != nil {
			t.Errorf("%d turns of %d, want %d; %v", turns, n, want, err)
		}
	}
	for _, c := range []struct {
		n    int64
		code fault.Code
		took time.Duration
	}{
		{-1, fault.Timeout, time.Millisecond}, {-1_000_001, fault.Timeout, 2 * time.Millisecond},
		{0, "", 0}, {1, "", time.Millisecond}, {2_000_000, "", 2 * time.Millisecond}, {math.MaxInt64, "", math.MaxUint32 * time.Millisecond},
	} {
		loop := tooltest.New()
		run := flow.Start(t.Context(), loop, Step[int64, struct{}](m, "briefly"), c.n)
		loop.Run()
		if _, err := run.Result(); err != nil && fault.CodeOf(err) != c.code || err == nil && c.code != "" || loop.Now() != c.took {
			t.Errorf("%d ns: %v after %v", c.n, err, loop.Now())
		}
	}
}

// allWASI returns the names that a module imports of WASI. Basic isn't enough, because package testing needs files.
func allWASI(t *testing.T, binary []byte) (names []string) {
	t.Helper()
	m, err := validator(t).CompileModule(t.Context(), binary)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m.ImportedFunctions() {
		if from, name, _ := f.Import(); from == wasiOf {
			names = append(names, name)
		}
	}
	return names
}

// The tests of package guest are built as a library, which exports the steps of the examples.
func TestExamplesOfGuestGo(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the library of Go for WebAssembly")
	}
	stock := syncx.NewMutex(1, 0)
	binary := builtGo(t, "test", "-c", "./guest")
	limits := Limits{WASI: allWASI(t, binary), Reuse: true, Guards: map[string]syncx.Guard{"stock": stock}}
	m := loaded(t, binary, limits)
	if out, _, err := outcome(t, Step[string, string](m, "greet"), "wasm"); out != "Hello, wasm" || err != nil {
		t.Error(out, err)
	}
	if _, _, err := outcome(t, Step[int32, string](m, "greet"), 7); fault.CodeOf(err) != fault.InvalidRequest {
		t.Error(err)
	}
	if out, _, err := outcome(t, Step[int32, int32](m, "total"), 3); out != 35 || err != nil {
		t.Error(out, err)
	}
	if out, _, err := outcome(t, Step[int64, bool](m, "pause"), 20); !out || err != nil {
		t.Error(out, err)
	}
	if _, _, err := outcome(t, Step[int64, bool](m, "pause"), 2000); fault.CodeOf(err) != fault.Timeout {
		t.Error(err)
	}
	if out, _, err := outcome(t, Step[float64, float64](m, "root"), 144); out != 12 || err != nil {
		t.Error(out, err)
	}
	if out, _, err := outcome(t, Step[int32, int32](m, "count"), 7); out != 3 || err != nil {
		t.Error(out, err)
	}
	if out, _, err := outcome(t, Step[struct{}, []byte](m, "book"), struct{}{}); string(out) != "booked" || err != nil || stock.Inside() != 0 {
		t.Error(out, err, stock.Inside())
	}
}
