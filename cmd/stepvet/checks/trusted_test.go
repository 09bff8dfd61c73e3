package checks

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The packages of the library make plans, except those named here. A forgotten one leads to false reports: what its functions do
// inside would count as done by the bodies that call them.
func TestPlanPackages(t *testing.T) {
	others := []string{
		"config", // reads files, which a body must not
		"bench", "cmd", "difftest", "docs", "examples", "proptest", "tools",
	}
	entries, err := os.ReadDir("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		files, err := filepath.Glob(filepath.Join("../../..", e.Name(), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		if e.Name() == "internal" || len(files) == 0 || slices.Contains(others, e.Name()) {
			continue
		}
		if !trusted(library + e.Name()) {
			t.Errorf("%s isn't among planPackages", e.Name())
		}
	}
	for name := range planPackages {
		if _, err := os.Stat(filepath.Join("../../..", name)); err != nil {
			t.Error(err)
		}
	}
}
