//go:build cgo

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Programs find the installed library through pkg-config and through CMake.
func TestInstall(t *testing.T) {
	cc, _ := compiler(t, "cc")
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	made := filepath.Join(t.TempDir(), "made")
	if err := command("bash", "install", made); err != nil {
		t.Fatal(err)
	}
	prefix := filepath.Join(t.TempDir(), "moved") // the installed files must hold no absolute path
	if err := command("mv", made, prefix); err != nil {
		t.Fatal(err)
	}
	says := func(t *testing.T, exe string) {
		t.Helper()
		t.Setenv("LD_LIBRARY_PATH", filepath.Join(prefix, "lib"))
		out, err := exec.CommandContext(t.Context(), exe).CombinedOutput()
		if string(out) != "installed\n" || err != nil {
			t.Errorf("got %q, %v", out, err)
		}
	}

	t.Run("pkg-config", func(t *testing.T) {
		t.Setenv("PKG_CONFIG_PATH", filepath.Join(prefix, "lib", "pkgconfig"))
		if _, err := exec.LookPath("pkg-config"); err != nil {
			t.Skip(err)
		}
		flags, err := exec.CommandContext(t.Context(), "pkg-config", "--cflags", "--libs", "libfutoin").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, flags)
		}
		exe := filepath.Join(t.TempDir(), "hello")
		args := append([]string{"-std=c11", "testdata/installed/hello.c"}, strings.Fields(string(flags))...)
		if err := command(cc, append(args, "-o", exe)...); err != nil {
			t.Fatal(err)
		}
		says(t, exe)
	})

	t.Run("CMake", func(t *testing.T) {
		if _, err := exec.LookPath("cmake"); err != nil {
			t.Skip(err)
		}
		build := t.TempDir()
		if err := command("cmake", "-S", "testdata/installed", "-B", build, "-DCMAKE_PREFIX_PATH="+prefix); err != nil {
			t.Fatal(err)
		}
		if err := command("cmake", "--build", build); err != nil {
			t.Fatal(err)
		}
		says(t, filepath.Join(build, "hello"))
	})
}
