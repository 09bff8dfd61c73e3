package httpx_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/retry"
)

type origin struct {
	*httptest.Server

	mu    sync.Mutex
	plays []play   // of the first requests; the last one is also that of all further ones
	asked []string // Range and If-Range of each request
}

type play func(w http.ResponseWriter, r *http.Request)

// oldText and newText are two versions of a file; they have no byte in common.
var oldText, newText = numbers("old", 1000), bytes.ToUpper(numbers("new", 1000))

func numbers(word string, size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		b.WriteString(word + string(rune('a'+i%26)))
	}
	return b.Bytes()[:size]
}

func newOrigin(t *testing.T, http2 bool, plays ...play) *origin {
	t.Helper()
	o := &origin{plays: plays}
	o.Server = httptest.NewUnstartedServer(o)
	if o.EnableHTTP2 = http2; http2 {
		o.StartTLS()
	} else {
		o.Start()
	}
	t.Cleanup(o.Close)
	return o
}

func (o *origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	n := len(o.asked)
	o.asked = append(o.asked, strings.TrimSpace(r.Header.Get("Range")+" "+r.Header.Get("If-Range")))
	do := o.plays[min(n, len(o.plays)-1)]
	o.mu.Unlock()
	if r.Header.Get("Accept-Encoding") != "identity" {
		w.WriteHeader(http.StatusNotAcceptable)
		return
	}
	do(w, r)
}

func (o *origin) requests() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.asked)
}

const tag = `"v1"`

func serves(text []byte, etag string) play {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", etag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	}
}

// cut answers with the first n bytes of do; then the connection breaks.
func cut(n int, do play) play {
	return func(w http.ResponseWriter, r *http.Request) { do(&cutting{w, n}, r) }
}

type cutting struct {
	http.ResponseWriter
	left int
}

func (c *cutting) Write(b []byte) (int, error) {
	if c.left >= len(b) {
		c.left -= len(b)
		return c.ResponseWriter.Write(b)
	}
	c.ResponseWriter.Write(b[:c.left])
	http.NewResponseController(c.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}

// raw ignores the request; header has lines "Name: value".
func raw(status int, text []byte, header ...string) play {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, line := range header {
			name, value, _ := strings.Cut(line, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		http.NewResponseController(w).Flush() // so that the server adds no Content-Length
		w.Write(text)
	}
}

// folder lists the folder of path.
func folder(t *testing.T, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func wantFile(t *testing.T, path string, text []byte) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, text) {
		t.Errorf("the file is %.20q… of %d bytes, %v", got, len(got), err)
	}
	if names := folder(t, path); !slices.Equal(names, []string{filepath.Base(path)}) {
		t.Errorf("the folder has %q", names)
	}
}

const sunday = "Sun, 06 Nov 1994 08:49:37 GMT"

func TestDownloadResumes(t *testing.T) {
	broken := cut(600, serves(oldText, tag))
	honest := serves(oldText, tag)
	rest := func(first, last, total int, etag string) play {
		return raw(206, oldText[first:last+1], "Content-Length: "+strconv.Itoa(last-first+1), fmt.Sprintf("Content-Range: bytes %d-%d/%d", first, last, total), "ETag: "+etag)
	}
	const whole, resumed = "", "bytes=599- " + tag
	for _, tt := range []struct {
		reason string
		plays  []play
		asked  []string
		text   []byte
		kept   int64
	}{
		{"at once", []play{honest}, []string{whole}, oldText, 0},
		{"it goes on", []play{broken, honest}, []string{whole, resumed}, oldText, 599},
		{"twice", []play{broken, cut(100, honest), honest}, []string{whole, resumed, "bytes=698- " + tag}, oldText, 698},
		{"nothing new came", []play{broken, cut(1, honest), honest}, []string{whole, resumed, resumed}, oldText, 599},
		{"a server without ranges", []play{broken, raw(200, oldText, "ETag: "+tag)}, []string{whole, resumed}, oldText, 0},
		{"another version", []play{broken, serves(newText, `"v2"`)}, []string{whole, resumed}, newText, 0},
		{"a shorter version", []play{broken, serves(newText[:300], `"v2"`)}, []string{whole, resumed}, newText[:300], 0},
		{"and that broke off", []play{broken, cut(300, serves(newText, `"v2"`)), serves(newText, `"v2"`)}, []string{whole, resumed, `bytes=299- "v2"`}, newText, 299},
		{"a server that ignores If-Range", []play{
			broken, raw(206, newText[599:], "Content-Range: bytes 599-999/1000", `ETag: "v2"`), serves(newText, `"v2"`),
		}, []string{whole, resumed, whole}, newText, 0},
		{"a part without the ETag", []play{broken, rest(599, 999, 1000, ""), honest}, []string{whole, resumed, whole}, oldText, 0},
		{"a part that begins earlier", []play{broken, rest(500, 999, 1000, tag), honest}, []string{whole, resumed, whole}, oldText, 0},
		{"a part that begins later", []play{broken, rest(600, 999, 1000, tag), honest}, []string{whole, resumed, whole}, oldText, 0},
		{"a part of a longer file", []play{broken, rest(599, 999, 1001, tag), honest}, []string{whole, resumed, whole}, oldText, 0},
		{"a part that is shorter than it says", []play{
			broken, raw(206, oldText[599:800], "Content-Length: 201", "Content-Range: bytes 599-999/1000", "ETag: "+tag), honest,
		}, []string{whole, resumed, whole}, oldText, 0},
		{"the same without its length", []play{
			broken, raw(206, oldText[599:800], "Content-Range: bytes 599-999/1000", "ETag: "+tag), honest,
		}, []string{whole, resumed, "bytes=799- " + tag}, oldText, 799},
		{"a part that is longer than it says", []play{
			broken, raw(206, oldText[599:], "Content-Range: bytes 599-799/1000", "ETag: "+tag), honest,
		}, []string{whole, resumed, whole}, oldText, 0},
		{"a part that ends too early", []play{broken, rest(599, 799, 1000, tag), honest}, []string{whole, resumed, "bytes=800- " + tag}, oldText, 599},
		{"a part without its range", []play{broken, raw(206, oldText[599:], "ETag: "+tag), honest}, []string{whole, resumed, whole}, oldText, 0},
		{"a compressed part", []play{
			broken, raw(206, oldText[599:], "Content-Range: bytes 599-999/1000", "ETag: "+tag, "Content-Encoding: gzip"), honest,
		}, []string{whole, resumed, whole}, oldText, 0},
		{"a compressed file", []play{cut(600, raw(200, oldText, "ETag: "+tag, "Content-Encoding: gzip")), honest}, []string{whole, whole}, oldText, 0},
		{"no such range", []play{broken, raw(416, nil, "Content-Range: bytes */10"), honest}, []string{whole, resumed, whole}, oldText, 0},
		{"a failure between", []play{broken, raw(503, nil), honest}, []string{whole, resumed, resumed}, oldText, 599},
		{"a weak ETag", []play{cut(600, serves(oldText, `W/"v1"`)), honest}, []string{whole, whole}, oldText, 0},
		{"nothing to know the version by", []play{cut(600, raw(200, oldText)), raw(200, oldText)}, []string{whole, whole}, oldText, 0},
		{"a date", []play{
			cut(600, raw(200, oldText, "Content-Length: 1000", "Last-Modified: "+sunday)), raw(206, oldText[599:], "Content-Range: bytes 599-999/1000"),
		}, []string{whole, "bytes=599- " + sunday}, oldText, 599},
		{"another date", []play{
			cut(600, raw(200, oldText, "Content-Length: 1000", "Last-Modified: "+sunday)),
			raw(206, oldText[599:], "Content-Range: bytes 599-999/1000", "Last-Modified: Mon, 07 Nov 1994 08:49:37 GMT"), honest,
		}, []string{whole, "bytes=599- " + sunday, whole}, oldText, 0},
		{"a date of the same second", []play{
			cut(600, raw(200, oldText, "Content-Length: 1000", "Last-Modified: "+sunday, "Date: "+sunday)), honest,
		}, []string{whole, whole}, oldText, 0},
		{"a length that isn't known", []play{
			cut(600, raw(200, oldText, "ETag: "+tag)), raw(206, oldText[599:], "Content-Range: bytes 599-999/*", "ETag: "+tag), honest,
		}, []string{whole, resumed, whole}, oldText, 0},
		{"an ETag that isn't ASCII", []play{cut(600, serves(oldText, "\"\xe9\"")), serves(oldText, "\"\xe9\"")}, []string{whole, whole}, oldText, 0},
		{"only the end was missing", []play{
			cut(1000, raw(200, append(oldText[:1000:1000], '!'), "ETag: "+tag)), honest,
		}, []string{whole, "bytes=999- " + tag}, oldText, 999},
		{"a length of zero", []play{serves(nil, tag)}, []string{whole}, nil, 0},
	} {
		for _, http2 := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, HTTP/2 %v", tt.reason, http2), func(t *testing.T) {
				leaktest.Check(t)
				o := newOrigin(t, http2, tt.plays...)
				path := filepath.Join(t.TempDir(), "file")
				if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
					t.Fatal(err)
				}
				file := httpx.File{URL: o.URL, Path: path}
				got, err := flow.Run(t.Context(), retry.Of(retry.Policy{Tries: 4}, httpx.Download(o.Client(), httpx.DownloadOptions{})), file)
				if err != nil || got.File != file || got.Size != int64(len(tt.text)) || got.Kept != tt.kept {
					t.Errorf("got %+v, %v", got, err)
				}
				wantFile(t, path, tt.text)
				if !slices.Equal(o.requests(), tt.asked) {
					t.Errorf("asked %q", o.requests())
				}
			})
		}
	}
}

func TestDownloadStatus(t *testing.T) {
	leaktest.Check(t)
	for _, tt := range []struct {
		reason string
		play   play
		want   int
		tries  int
	}{
		{"not found", raw(404, nil), 404, 1},
		{"no file", raw(204, nil), 204, 1},
		{"a part that wasn't asked for", raw(206, oldText, "Content-Range: bytes 0-999/1000", "ETag: "+tag), 206, 1},
		{"a range that wasn't asked for", raw(416, nil), 416, 1},
		{"a failure", raw(500, nil), 500, 3},
	} {
		o := newOrigin(t, false, tt.play)
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, oldText, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := flow.Run(t.Context(), retry.Of(retry.Policy{}, httpx.Download(o.Client(), httpx.DownloadOptions{})), httpx.File{URL: o.URL + "/?secret", Path: path})
		status, ok := errors.AsType[*httpx.StatusError](err)
		if !ok || status.Status != tt.want || len(o.requests()) != tt.tries || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v after %d requests", tt.reason, err, len(o.requests()))
		}
		wantFile(t, path, oldText)
	}
}
