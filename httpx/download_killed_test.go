//go:build linux

package httpx_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
)

// Variables of the environment that tell TestDownloadChild what to do.
const (
	childURL   = "DOWNLOAD_URL"
	childPath  = "DOWNLOAD_PATH"
	childLimit = "DOWNLOAD_LIMIT"
)

// TestDownloadChild is a process that other tests start, to kill it or to limit its files to 600 bytes.
func TestDownloadChild(t *testing.T) {
	url := os.Getenv(childURL)
	if url == "" {
		t.Skip("started by other tests")
	}
	defer httpx.SaveEvery(0)()
	if os.Getenv(childLimit) != "" {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 600, Max: 600}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := flow.Run(t.Context(), download, httpx.File{URL: url, Path: os.Getenv(childPath)})
	if !errors.Is(err, syscall.EFBIG) || fault.CodeOf(err) != httpx.FileFailed {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
}

func child(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDownloadChild$")
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

func awaitMark(t *testing.T, path string, n int) {
	t.Helper()
	for t.Context().Err() == nil {
		if text, err := os.ReadFile(path + ".part.json"); err == nil && strings.Contains(string(text), fmt.Sprintf(`"bytes":%d,`, n)) {
			return
		}
		runtime.Gosched()
	}
}

// goesOn checks that a download continues at offset from.
func goesOn(t *testing.T, o *origin, path string, from int64) {
	t.Helper()
	if got, err := flow.Run(t.Context(), download, httpx.File{URL: o.URL, Path: path}); err != nil || got.Kept != from {
		t.Errorf("%+v, %v", got, err)
	}
	wantFile(t, path, oldText)
	http.DefaultClient.CloseIdleConnections()
}

func TestDownloadKilled(t *testing.T) {
	leaktest.Check(t)
	o := newOrigin(t, false, hangs(600, serves(oldText, tag)), serves(oldText, tag))
	path := filepath.Join(t.TempDir(), "file")
	cmd := child(t, childURL+"="+o.URL, childPath+"="+path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitMark(t, path, 600)
	if _, err := flow.Run(t.Context(), download, httpx.File{URL: o.URL, Path: path}); fault.CodeOf(err) != fault.DefenseRejected {
		t.Errorf("two processes: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	cmd.Wait()
	goesOn(t, o, path, 599)
}

func TestDownloadFilesTooLong(t *testing.T) {
	leaktest.Check(t)
	path := filepath.Join(t.TempDir(), "file")
	inTwo := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", tag)
		w.Write(oldText[:300])
		http.NewResponseController(w).Flush()
		awaitMark(t, path, 300)
		w.Write(oldText[300:])
	}
	o := newOrigin(t, false, inTwo, serves(oldText, tag))
	if out, err := child(t, childURL+"="+o.URL, childPath+"="+path, childLimit+"=600").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if names := folder(t, path); !slices.Equal(names, []string{"file.part", "file.part.json"}) {
		t.Errorf("left %q", names)
	}
	goesOn(t, o, path, 299)
}

func TestDownloadClosesFiles(t *testing.T) {
	leaktest.Check(t)
	o := newOrigin(t, false, cut(600, serves(oldText, tag)), raw(404, nil), raw(206, nil), serves(newText, `"v2"`), cut(600, raw(200, oldText)))
	path := filepath.Join(t.TempDir(), "file")
	open := func() (files []string) {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		for _, e := range entries {
			if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(to, filepath.Dir(path)) {
				files = append(files, to)
			}
		}
		return files
	}
	for range 6 {
		flow.Run(t.Context(), httpx.Download(o.Client(), httpx.DownloadOptions{}), httpx.File{URL: o.URL, Path: path})
		if files := open(); files != nil {
			t.Errorf("open after request %d: %q", len(o.requests()), files)
		}
	}
}
