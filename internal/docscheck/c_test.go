package docscheck

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// C programs are built with the shared library, like a user's.
func TestCPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	if !haveC(t) || runtime.GOOS != "linux" {
		t.Skip("needs cgo, a C compiler, and the way Linux links")
	}
	dir := t.TempDir()
	lib := filepath.Join(dir, "lib") // its own folder, because the build writes a header there
	command(t, root, "go", "build", "-buildmode=c-shared", "-o", filepath.Join(lib, "libfutoin.so"), "./cmd/libfutoin")
	for _, p := range checked(t) {
		programs, _ := p.programs()
		for _, p := range programs {
			if p.lang != "c" {
				continue
			}
			t.Run(p.folder(), func(t *testing.T) {
				source := filepath.Join(dir, p.folder()+".c")
				if err := os.WriteFile(source, []byte(p.files[0].text), 0o600); err != nil {
					t.Fatal(err)
				}
				exe := filepath.Join(dir, p.folder())
				command(t, root, "cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic",
					"-Icmd/libfutoin", "-Ibinval/cabi", source, "-L"+lib, "-lfutoin", "-Wl,-rpath,"+lib, "-o", exe)
				p.check(t, dir, exe)
			})
		}
	}
}

// haveC reports whether cgo is on and a C compiler is installed.
func haveC(t *testing.T) bool {
	t.Helper()
	env, err := exec.CommandContext(t.Context(), "go", "env", "CGO_ENABLED").Output()
	if err != nil || strings.TrimSpace(string(env)) != "1" {
		return false
	}
	_, err = exec.LookPath("cc")
	return err == nil
}

func command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}
