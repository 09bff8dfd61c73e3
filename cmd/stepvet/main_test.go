package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what stepvet says about testdata/guide as what it should say")

// go vet with stepvet prints the output that docs/guide/vet.md shows.
func TestGoVet(t *testing.T) {
	dir := t.TempDir()
	tool := filepath.Join(dir, "stepvet")
	command(t, ".", "go", "build", "-o", tool, ".")

	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod := "module example.com/guide\n\ngo 1.26.0\n"
	for name, dir := range map[string]string{"asyncsteps": "", "asyncsteps/durable": "/durable"} {
		mod += "\nrequire github.com/futoin-go/" + name + " v0.0.0\n" + "replace github.com/futoin-go/" + name + " => " + root + dir + "\n"
	}
	for name, text := range map[string]string{
		"go.mod":  mod,
		"go.sum":  read(t, "../../go.sum"),
		"main.go": read(t, "testdata/guide/main.go.txt"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command(t, dir, "go", "build", "-mod=mod", ".")
	vet := exec.CommandContext(t.Context(), "go", "vet", "-vettool="+tool, ".")
	vet.Dir = dir
	out, err := vet.CombinedOutput()
	if err == nil {
		t.Error("go vet finds nothing")
	}
	var lines []string // the order of the lines varies
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "#") { // it names the package
			lines = append(lines, strings.TrimPrefix(line, "./"))
		}
	}
	slices.Sort(lines)
	got := strings.Join(lines, "")
	const golden = "testdata/guide/main.want"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, golden); got != want {
		t.Errorf("go vet says\n%swant\n%s", got, want)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}
