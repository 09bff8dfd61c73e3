package httpx_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/retry"
)

var download = httpx.Download(nil, httpx.DownloadOptions{})

// hangs answers with the first n bytes of do, and then waits for the end of the request.
func hangs(n int, do play) play {
	return func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if recover() != nil {
				<-r.Context().Done()
			}
		}()
		cut(n, do)(w, r)
	}
}

// interrupted cancels the download of f when n bytes have come.
func interrupted(t *testing.T, f httpx.File, n int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if info, err := os.Stat(f.Path + ".part"); err == nil && info.Size() >= n {
				cancel()
			}
			runtime.Gosched()
		}
	}()
	if _, err := flow.Run(ctx, download, f); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestDownloadInterrupted(t *testing.T) {
	leaktest.Check(t)
	for _, tt := range []struct {
		reason string
		query  string // of the second run
		damage func(path string) error
		asked  string
	}{
		{"the same", "", func(string) error { return nil }, "bytes=599- " + tag},
		{"another URL", "?other", func(string) error { return nil }, ""},
		{"a part that was shortened", "", func(path string) error { return os.Truncate(path+".part", 300) }, ""},
		{"a part that is longer than is known", "", func(path string) error {
			return errors.Join(os.Truncate(path+".part", 600), os.Truncate(path+".part", 2000))
		}, "bytes=599- " + tag},
		{"no part", "", func(path string) error { return os.Remove(path + ".part") }, ""},
		{"no mark", "", func(path string) error { return os.Remove(path + ".part.json") }, ""},
		{"a mark that is broken", "", func(path string) error { return os.Truncate(path+".part.json", 50) }, ""},
		{"a mark of zeros", "", func(path string) error { return os.WriteFile(path+".part.json", make([]byte, 200), 0o600) }, ""},
	} {
		o := newOrigin(t, false, hangs(600, serves(oldText, tag)), serves(oldText, tag))
		path := filepath.Join(t.TempDir(), "file")
		interrupted(t, httpx.File{URL: o.URL + "/?secret", Path: path}, 600)
		if names := folder(t, path); !slices.Equal(names, []string{"file.part", "file.part.json"}) {
			t.Errorf("%s: left %q", tt.reason, names)
		}
		if text, err := os.ReadFile(path + ".part.json"); err != nil || strings.Contains(string(text), "secret") {
			t.Errorf("%s, %v", text, err)
		}
		if err := tt.damage(path); err != nil {
			t.Fatal(err)
		}
		if tt.query == "" {
			tt.query = "?secret"
		}
		if _, err := flow.Run(t.Context(), download, httpx.File{URL: o.URL + "/" + tt.query, Path: path}); err != nil {
			t.Error(err)
		}
		wantFile(t, path, oldText)
		if asked := o.requests(); len(asked) != 2 || asked[1] != tt.asked {
			t.Errorf("%s: asked %q", tt.reason, asked)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestDownloadInterruptedWithoutVersion(t *testing.T) {
	leaktest.Check(t)
	o := newOrigin(t, false, hangs(600, raw(200, oldText)))
	path := filepath.Join(t.TempDir(), "file")
	interrupted(t, httpx.File{URL: o.URL, Path: path}, 600)
	if names := folder(t, path); len(names) != 0 {
		t.Errorf("left %q", names)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestDownloadRedirected(t *testing.T) {
	leaktest.Check(t)
	to := newOrigin(t, false, cut(600, serves(oldText, tag)), serves(oldText, tag))
	n := 0
	from := newOrigin(t, false, func(w http.ResponseWriter, r *http.Request) {
		n++
		if r.Header.Get("X-Name") != "Ada" {
			t.Error("the header is missing")
		}
		http.Redirect(w, r, fmt.Sprintf("%s/?signature=%d", to.URL, n), http.StatusFound)
	})
	path := filepath.Join(t.TempDir(), "file")
	options := httpx.DownloadOptions{Header: http.Header{"X-Name": {"Ada"}, "Range": {"bytes=1-"}, "If-Range": {"x"}, "Accept-Encoding": {"gzip"}}}
	got, err := flow.Run(t.Context(), retry.Of(retry.Policy{}, httpx.Download(nil, options)), httpx.File{URL: from.URL, Path: path})
	if err != nil || got.Kept != 599 || got.ETag != tag {
		t.Errorf("%+v, %v", got, err)
	}
	if asked := to.requests(); !slices.Equal(asked, []string{"", "bytes=599- " + tag}) {
		t.Errorf("asked %q", asked)
	}
	wantFile(t, path, oldText)
	http.DefaultClient.CloseIdleConnections()
}

func TestDownloadTransport(t *testing.T) {
	leaktest.Check(t)
	o := newOrigin(t, false, raw(503, nil), cut(600, serves(oldText, tag)), raw(503, nil), serves(oldText, tag))
	client := &http.Client{Transport: httpx.NewTransport(o.Client().Transport, httpx.Policy{Limit: time.Minute, Hedge: time.Minute})}
	path := filepath.Join(t.TempDir(), "file")
	got, err := flow.Run(t.Context(), retry.Of(retry.Policy{Tries: 2}, httpx.Download(client, httpx.DownloadOptions{})), httpx.File{URL: o.URL, Path: path})
	if err != nil || got.Kept != 599 || len(o.requests()) != 4 {
		t.Errorf("%+v, %v after %d requests", got, err, len(o.requests()))
	}
	wantFile(t, path, oldText)
}

func TestDownloadChecks(t *testing.T) {
	leaktest.Check(t)
	sum := func(text []byte) string {
		sum := sha256.Sum256(text)
		return strings.ToUpper(hex.EncodeToString(sum[:]))
	}
	reads := func(_ httpx.File, r io.Reader) error {
		if text, err := io.ReadAll(r); err != nil || string(text) != string(oldText) {
			return fmt.Errorf("checked %d bytes, %w", len(text), err)
		}
		return nil
	}
	bad := errors.New("bad")
	for _, tt := range []struct {
		reason string
		sum    string
		check  func(httpx.File, io.Reader) error
		want   error
		asked  int // how many requests: the download is resumed once, and begins anew once if the resumed bytes were wrong
	}{
		{"right", sum(oldText), reads, nil, 2},
		{"another sum", sum(newText), reads, httpx.CheckFailed, 3},
		{"an objection", sum(oldText), func(httpx.File, io.Reader) error { return bad }, bad, 3},
		{"a panic", "", func(httpx.File, io.Reader) error { panic("mistake") }, fault.InternalError, 2},
	} {
		o := newOrigin(t, false, cut(600, serves(oldText, tag)), serves(oldText, tag))
		path := filepath.Join(t.TempDir(), "file")
		plan := retry.Of(retry.Policy{}, httpx.Download(o.Client(), httpx.DownloadOptions{Check: tt.check}))
		_, err := flow.Run(t.Context(), plan, httpx.File{URL: o.URL, Path: path, SHA256: tt.sum})
		if !errors.Is(err, tt.want) || len(o.requests()) != tt.asked {
			t.Errorf("%s: %v after %d requests", tt.reason, err, len(o.requests()))
		}
		switch names := folder(t, path); {
		case tt.want == nil:
			wantFile(t, path, oldText)
		case errors.Is(tt.want, fault.InternalError): // Check's panic isn't a failed check: the part may stay
		case len(names) != 0:
			t.Errorf("%s: left %q", tt.reason, names)
		}
	}
}

func TestDownloadCheckInterrupted(t *testing.T) {
	leaktest.Check(t)
	o := newOrigin(t, false, serves(oldText, tag))
	path := filepath.Join(t.TempDir(), "file")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	slow := httpx.DownloadOptions{Check: func(_ httpx.File, r io.Reader) error {
		cancel()
		for { // the step is told to end soon
			if _, err := r.Read(nil); err != nil {
				return err
			}
			runtime.Gosched()
		}
	}}
	if _, err := flow.Run(ctx, httpx.Download(o.Client(), slow), httpx.File{URL: o.URL, Path: path}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	got, err := flow.Run(t.Context(), httpx.Download(o.Client(), httpx.DownloadOptions{}), httpx.File{URL: o.URL, Path: path})
	if err != nil || got.Kept != 999 {
		t.Errorf("%+v, %v", got, err)
	}
	wantFile(t, path, oldText)
}

func TestDownloadBadInput(t *testing.T) {
	leaktest.Check(t)
	o := newOrigin(t, false, serves(oldText, tag))
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(in("plain"), nil, 0o600), os.Mkdir(in("folder"), 0o700), os.Mkdir(in("taken.part"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		reason string
		file   httpx.File
		want   error
	}{
		{"no URL", httpx.File{Path: in("x")}, fault.InvalidRequest},
		{"a URL without a scheme", httpx.File{URL: "//host/x.iso", Path: in("x")}, fault.InvalidRequest},
		{"a URL without a host", httpx.File{URL: "http:///x.iso", Path: in("x")}, fault.InvalidRequest},
		{"a malformed URL", httpx.File{URL: "http://a:secret@b\x00/", Path: in("x")}, fault.InvalidRequest},
		{"no path", httpx.File{URL: "http://a:secret@b/"}, fault.InvalidRequest},
		{"half a sum", httpx.File{URL: o.URL, Path: in("x"), SHA256: "abcd"}, fault.InvalidRequest},
		{"no sum", httpx.File{URL: o.URL, Path: in("x"), SHA256: "secret"}, fault.InvalidRequest},
		{"a folder", httpx.File{URL: o.URL, Path: in("folder")}, fault.InvalidRequest},
		{"a folder that isn't there", httpx.File{URL: o.URL, Path: in("none") + string(filepath.Separator)}, fault.InvalidRequest},
		{"in a folder that isn't there", httpx.File{URL: o.URL, Path: in("none/x")}, fs.ErrNotExist},
		{"in a file", httpx.File{URL: o.URL, Path: in("plain/x")}, httpx.FileFailed},
		{"a part that is a folder", httpx.File{URL: o.URL, Path: in("taken")}, httpx.FileFailed},
	} {
		plan := retry.Of(retry.Policy{OnRetry: func(int, error, time.Duration) { t.Errorf("%s is tried again", tt.reason) }}, download)
		_, err := flow.Run(t.Context(), plan, tt.file)
		failed, ok := fault.AsType[*fault.Error](err)
		if !errors.Is(err, tt.want) || !ok || failed.Name != "download" || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", tt.reason, err)
		}
		t.Log(err)
	}
	if asked := o.requests(); len(asked) != 0 {
		t.Errorf("asked %q", asked)
	}
	if names := folder(t, in("x")); !slices.Equal(names, []string{"folder", "plain", "taken.part"}) {
		t.Errorf("left %q", names)
	}
}

// If the name becomes a folder meanwhile, the part stays.
func TestDownloadCannotRename(t *testing.T) {
	leaktest.Check(t)
	path := filepath.Join(t.TempDir(), "file")
	o := newOrigin(t, false, func(w http.ResponseWriter, r *http.Request) {
		os.Mkdir(path, 0o700)
		serves(oldText, tag)(w, r)
	})
	file := httpx.File{URL: o.URL, Path: path}
	if _, err := flow.Run(t.Context(), download, file); !errors.Is(err, httpx.FileFailed) {
		t.Error(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	flow.Run(t.Context(), download, file)
	if asked := o.requests(); !slices.Equal(asked, []string{"", "bytes=999- " + tag}) {
		t.Errorf("asked %q", asked)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestDownloadTwice(t *testing.T) {
	leaktest.Check(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	o := newOrigin(t, false, func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-leave
		serves(oldText, tag)(w, r)
	})
	path := filepath.Join(t.TempDir(), "file")
	var first sync.WaitGroup
	first.Go(func() {
		if _, err := flow.Run(t.Context(), download, httpx.File{URL: o.URL, Path: path}); err != nil {
			t.Error(err)
		}
	})
	<-entered
	if _, err := flow.Run(t.Context(), download, httpx.File{URL: o.URL + "/?other", Path: path}); fault.CodeOf(err) != fault.DefenseRejected {
		t.Error(err)
	}
	close(leave)
	first.Wait()
	wantFile(t, path, oldText)
	http.DefaultClient.CloseIdleConnections()
}

// The bodies of answers with an unexpected status are closed, too.
func TestDownloadClosesBodies(t *testing.T) {
	var open []*bool
	statuses := []int{200, 206, 200, 404, 204}
	client := &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
		a, yes := answer(r, statuses[len(open)], "half")
		a.Header.Set("ETag", tag)
		a.ContentLength = 4
		if len(open) == 0 {
			a.ContentLength = 8
		}
		open = append(open, yes)
		return a, nil
	})}
	file := httpx.File{URL: "http://a/", Path: filepath.Join(t.TempDir(), "file")}
	for range 4 {
		flow.Run(t.Context(), httpx.Download(client, httpx.DownloadOptions{}), file)
	}
	if len(open) != len(statuses) {
		t.Errorf("asked %d times", len(open))
	}
	for i, closed := range open {
		if !*closed {
			t.Errorf("the body of answer %d, with status %d, isn't closed", i+1, statuses[i])
		}
	}
}

func TestDownloadWholeFiles(t *testing.T) {
	leaktest.Check(t)
	o := newOrigin(t, false, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			serves(oldText, tag)(w, r)
		} else {
			serves(newText[:900], `"v2"`)(w, r)
		}
	})
	path := filepath.Join(t.TempDir(), "file")
	patient := retry.Of(retry.Policy{Tries: -1, Pause: 100 * time.Microsecond, Jitter: 1}, httpx.Download(o.Client(), httpx.DownloadOptions{}))
	var all sync.WaitGroup
	for _, version := range []string{"/old", "/new", "/old", "/new"} {
		all.Go(func() {
			for range 25 {
				if _, err := flow.Run(t.Context(), patient, httpx.File{URL: o.URL + version, Path: path}); err != nil {
					t.Error(err)
				}
				if text, err := os.ReadFile(path); err != nil || string(text) != string(oldText) && string(text) != string(newText[:900]) {
					t.Errorf("%.20q… of %d bytes, %v", text, len(text), err)
				}
			}
		})
	}
	all.Wait()
	if names := folder(t, path); !slices.Equal(names, []string{"file"}) {
		t.Errorf("left %q", names)
	}
}
