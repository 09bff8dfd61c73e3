package checks_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/futoin-go/asyncsteps/cmd/stepvet/checks"
)

// Each check reports the lines that are marked in its folder of testdata, and no others.
func TestChecks(t *testing.T) {
	dir := module(t)
	for _, a := range checks.All() {
		t.Run(a.Name, func(t *testing.T) {
			analysistest.RunWithSuggestedFixes(t, dir, a, "./"+a.Name)
		})
	}
	t.Run("locks", func(t *testing.T) { analysistest.Run(t, dir, checks.Blocking, "./locks") })
}

func TestEveryLock(t *testing.T) {
	dir := module(t)
	if err := checks.Blocking.Flags.Set("locks", "true"); err != nil {
		t.Fatal(err)
	}
	defer checks.Blocking.Flags.Set("locks", "false")
	var reports silent
	found := 0
	for _, r := range analysistest.Run(&reports, dir, checks.Blocking, "./locks") {
		found += len(r.Diagnostics)
	}
	if found != 5 {
		t.Errorf("%d locks are reported, want all 5", found)
	}
}

// silent takes the place of a test, and ignores unexpected reports.
type silent struct{}

func (*silent) Errorf(string, ...any) {}

func TestChecksAreValid(t *testing.T) {
	if err := analysis.Validate(checks.All()); err != nil {
		t.Error(err)
	}
}

// module makes a module of testdata that uses the library of this repository. The library's go.sum lists the modules that it needs.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	mod := "module example.com/testdata\n\ngo 1.26.0\n"
	for name, dir := range map[string]string{"asyncsteps": "", "asyncsteps/durable": "/durable"} {
		mod += "\nrequire github.com/futoin-go/" + name + " v0.0.0\n" + "replace github.com/futoin-go/" + name + " => " + root + dir + "\n"
	}
	for name, text := range map[string]string{"go.mod": mod, "go.sum": string(sum)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The analysis reads modules only from the cache; this build fills it and completes go.mod.
	cmd := exec.CommandContext(t.Context(), "go", "build", "-mod=mod", "./...")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}
