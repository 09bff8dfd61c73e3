package flow_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/internal/racetest"
)

var update = flag.Bool("update", false, "write the compile errors of testdata/mismatch as the golden ones")

// Users read the compiler's messages for a wrong chain. If this test fails after a change, read the new message as they
// would; with a new release of Go, run the test with -update.
func TestMismatch(t *testing.T) {
	if testing.Short() || racetest.Enabled {
		t.Skip("runs the compiler")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: ", err)
	}
	programs, err := filepath.Glob("testdata/mismatch/*.go.txt")
	if err != nil || len(programs) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, program := range programs {
		name := strings.TrimSuffix(filepath.Base(program), ".go.txt")
		t.Run(name, func(t *testing.T) {
			golden := strings.TrimSuffix(program, ".go.txt") + ".want"
			got := compile(t, program)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the compiler's message (-want +got):\n%s", diff)
			}
		})
	}
}

var declaredAt = regexp.MustCompile(` \(declared at [^)]*\)`)

func compile(t *testing.T, program string) string {
	t.Helper()
	source, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, source, 0o644); err != nil {
		t.Fatal(err)
	}
	// in this folder, so that imports are those of this module
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", os.DevNull, file).CombinedOutput()
	if err == nil {
		t.Fatal("it compiles")
	}
	var said strings.Builder
	for line := range bytes.Lines(out) {
		text := string(line)
		if strings.HasPrefix(text, "#") {
			continue // the line that names the package
		}
		if i := strings.Index(text, "main.go:"); i >= 0 {
			text = text[i:]
		}
		text = declaredAt.ReplaceAllString(text, "") // removes places in this library
		said.WriteString(text)
	}
	return said.String()
}

// A function whose result wraps the types of the plan in a larger type can't be a method: that is an instantiation cycle.
func TestNoMethodWrapsTheResult(t *testing.T) {
	if testing.Short() || racetest.Enabled {
		t.Skip("runs the compiler")
	}
	golden(t, "cycle/method.want", compile(t, "testdata/cycle/method.go.txt"))
}
