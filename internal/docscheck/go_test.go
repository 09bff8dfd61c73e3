package docscheck

import (
	"go/format"
	"go/version"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The Go programs of all pages are in one module, so that one command builds them. It is like a reader's own module, and finds
// this library by a replace directive.
func TestGoPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	module := newModule(t)
	all, leftOut := []*program{}, map[*program]string{}
	for _, p := range checked(t) {
		programs, _ := p.programs()
		for _, p := range programs {
			if p.lang == "go" {
				all, leftOut[p] = append(all, p), module.add(t, p)
			}
		}
	}
	module.build(t, all)
	t.Run("run", func(t *testing.T) {
		for _, p := range all {
			t.Run(p.folder(), func(t *testing.T) {
				t.Parallel()
				switch {
				case leftOut[p] != "":
					t.Skip(leftOut[p])
				case p.contains(testFunc):
					p.check(t, module.dir, "go", "test", "-vet=off", "-v", "./"+p.folder())
				case p.contains(mainFunc):
					p.check(t, module.dir, filepath.Join(module.dir, "bin", p.folder()))
				}
			})
		}
	})
}

func TestGoIsFormatted(t *testing.T) {
	for _, p := range checked(t) {
		programs, _ := p.programs()
		for _, p := range programs {
			for _, f := range p.files {
				if path.Ext(f.name) != ".go" {
					continue
				}
				if text, err := format.Source([]byte(f.text)); err != nil || string(text) != f.text {
					t.Errorf("%s: %s: not as gofmt has it (%v)", p.at(), f.name, err)
				}
			}
		}
	}
}

// module is a module like a reader's, in a folder of the test.
type module struct{ dir string }

func newModule(t *testing.T) module {
	t.Helper()
	m := module{t.TempDir()}
	if err := os.CopyFS(m.dir, os.DirFS("testdata/module")); err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	m.goCommand(t, "mod", "edit",
		"-replace=github.com/futoin-go/asyncsteps="+here,
		"-go="+strings.TrimPrefix(version.Lang(runtime.Version()), "go")+".0")
	return m
}

// add writes a program to its own folder. If it can't be built here, leftOut is the reason.
func (m module) add(t *testing.T, p *program) (leftOut string) {
	t.Helper()
	if p.newer != "" && version.Compare(runtime.Version(), p.newer) < 0 {
		return "needs " + p.newer + ", and this is " + runtime.Version()
	}
	files := p.files
	if p.contains(cgoBlock) {
		if !haveC(t) {
			return "needs cgo and a C compiler"
		}
		header, err := os.ReadFile(filepath.Join(root, "binval/cabi/futoin_asyncsteps.h"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file{"futoin_asyncsteps.h", string(header)})
	}
	dir := filepath.Join(m.dir, p.folder())
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.name), []byte(f.text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return ""
}

// build vets the programs, and builds those with a main function.
func (m module) build(t *testing.T, programs []*program) {
	t.Helper()
	if len(programs) != 0 {
		m.goCommand(t, "vet", "./...")
	}
	if slices.ContainsFunc(programs, func(p *program) bool { return p.contains(mainFunc) }) {
		// nobody needs the symbols for debuggers
		m.goCommand(t, "build", "-ldflags=-s -w", "-o", "bin/", "./...")
	}
}

// A page may have no program, or only packages with tests.
func TestBuildWithoutMain(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	for _, text := range []string{"", "```go a_test.go\npackage a\n\nimport \"testing\"\n\nfunc TestA(*testing.T) {}\n```\n"} {
		m := newModule(t)
		p := read("page.md", text)
		programs, _ := p.programs()
		for _, p := range programs {
			m.add(t, p)
		}
		m.build(t, programs)
	}
}

func (m module) goCommand(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = m.dir
	cmd.Env = append(cmd.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strconv.Quote(strings.Join(args, " ")), err, out)
	}
}
