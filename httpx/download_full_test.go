//go:build linux

package httpx_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
)

// small returns the name of a file in a folder with room for so much, and a function that makes the room larger.
func small(t *testing.T, size string) (path string, enlarge func()) {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return filepath.Join(dir, "file"), func() {
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT, "size=4m"); err != nil {
			t.Fatal(err)
		}
	}
}

// A disk that is full before the first save costs no byte that has reached it.
func TestDownloadDiskFull(t *testing.T) {
	leaktest.Check(t)
	text := numbers("old", 512<<10)
	o := newOrigin(t, false, serves(text, tag))
	path, enlarge := small(t, "300k")
	file := httpx.File{URL: o.URL, Path: path}
	if _, err := flow.Run(t.Context(), download, file); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	if names := folder(t, path); !slices.Equal(names, []string{"file.part", "file.part.json"}) {
		t.Errorf("left %q", names)
	}
	enlarge()
	if got, err := flow.Run(t.Context(), download, file); err != nil || got.Kept < 128<<10 {
		t.Errorf("%+v, %v", got, err)
	}
	wantFile(t, path, text)
	http.DefaultClient.CloseIdleConnections()
}

// If there is no room for the first mark no byte is fetched.
func TestDownloadDiskFullBefore(t *testing.T) {
	leaktest.Check(t)
	o := newOrigin(t, false, cut(0, serves(oldText, tag)))
	path, _ := small(t, "4k")
	if err := os.WriteFile(path, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := flow.Run(t.Context(), download, httpx.File{URL: o.URL, Path: path}); !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, httpx.FileFailed) {
		t.Error(err)
	}
	wantFile(t, path, make([]byte, 4096))
	http.DefaultClient.CloseIdleConnections()
}

func TestDownloadLongName(t *testing.T) {
	leaktest.Check(t)
	for n := 240; n <= 245; n++ {
		o := newOrigin(t, false, hangs(600, serves(oldText, tag)), serves(oldText, tag))
		path := filepath.Join(t.TempDir(), strings.Repeat("x", n))
		interrupted(t, httpx.File{URL: o.URL, Path: path}, 600)
		goesOn(t, o, path, 599)
	}
	for n := 246; n <= 255; n++ { // there is no room for .part.json
		o := newOrigin(t, false, serves(oldText, tag))
		path := filepath.Join(t.TempDir(), strings.Repeat("x", n))
		_, err := flow.Run(t.Context(), download, httpx.File{URL: o.URL, Path: path})
		if !errors.Is(err, syscall.ENAMETOOLONG) || !errors.Is(err, httpx.FileFailed) || len(o.requests()) != 0 || len(folder(t, path)) != 0 {
			t.Errorf("%d: %v after %d requests, left %q", n, err, len(o.requests()), folder(t, path))
		}
	}
	http.DefaultClient.CloseIdleConnections()
}
