package httpx_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/retry"
)

// A server may send other bytes with the validator of the part. Then the download starts over.
func TestDownloadOfChangedFile(t *testing.T) {
	defer httpx.Overlap(64)()
	for name, header := range map[string][]string{
		"an ETag":     {"ETag: " + tag},
		"a date":      {"Last-Modified: " + sunday},
		"a weak ETag": {`ETag: W/"v1"`, "Last-Modified: " + sunday},
	} {
		leaktest.Check(t)
		o := newOrigin(t, false,
			cut(600, raw(200, oldText, append(header, "Content-Length: 1000")...)),
			raw(206, newText[536:], append(header, "Content-Length: 464", "Content-Range: bytes 536-999/1000")...),
			raw(200, newText, header...))
		path := filepath.Join(t.TempDir(), "file")
		got, err := flow.Run(t.Context(), retry.Of(retry.Policy{}, httpx.Download(o.Client(), httpx.DownloadOptions{})), httpx.File{URL: o.URL, Path: path})
		if asked := o.requests(); err != nil || got.Kept != 0 || len(asked) != 3 || asked[2] != "" {
			t.Errorf("%s: %+v, %v, asked %q", name, got, err, asked)
		}
		wantFile(t, path, newText)
	}
}

func TestDownloadStallsInRefusal(t *testing.T) {
	leaktest.Check(t)
	for _, answer := range []string{
		"HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\nhalf",
		"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 4096))
			_, _ = io.WriteString(c, answer)
			_, _ = io.Copy(io.Discard, c)
			_ = c.Close()
		}()
		file := httpx.File{URL: "http://" + l.Addr().String(), Path: filepath.Join(t.TempDir(), "file")}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		client := &http.Client{Transport: &http.Transport{}}
		_, err = flow.Run(ctx, httpx.Download(client, httpx.DownloadOptions{Stall: 50 * time.Millisecond}), file)
		if _, ok := errors.AsType[*httpx.StatusError](err); !ok || ctx.Err() != nil {
			t.Errorf("%.12s: %v", answer, err)
		}
		client.CloseIdleConnections()
		cancel()
		_ = l.Close()
	}
}

func TestDownloadOfReplacedPart(t *testing.T) {
	leaktest.Check(t)
	for name, replace := range map[string]func(part string) error{
		"removed":  os.Remove,
		"replaced": func(part string) error { return errors.Join(os.Remove(part), os.WriteFile(part, newText, 0o600)) },
		"a link": func(part string) error {
			return errors.Join(os.Rename(part, part+"2"), os.Symlink(part+"2", part))
		},
	} {
		path := filepath.Join(t.TempDir(), "file")
		o := newOrigin(t, false, serves(oldText, tag))
		once := true
		options := httpx.DownloadOptions{Check: func(httpx.File, io.Reader) error {
			if !once {
				return nil
			}
			once = false
			return replace(path + ".part")
		}}
		_, err := flow.Run(t.Context(), httpx.Download(o.Client(), options), httpx.File{URL: o.URL, Path: path})
		if _, found := os.Stat(path); fault.CodeOf(err) != httpx.FileFailed || found == nil {
			t.Errorf("%s: %v, the file: %v", name, err, found)
		}
	}
}

// A download neither writes through a link nor makes what the link names.
func TestDownloadOfLinkedPart(t *testing.T) {
	leaktest.Check(t)
	o := newOrigin(t, false, serves(oldText, tag))
	for _, dangling := range []bool{false, true} {
		folder := t.TempDir()
		path, other := filepath.Join(folder, "file"), filepath.Join(folder, "other")
		if !dangling {
			if err := os.WriteFile(other, newText, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(other, path+".part"); err != nil {
			t.Skip(err)
		}
		_, err := flow.Run(t.Context(), httpx.Download(o.Client(), httpx.DownloadOptions{}), httpx.File{URL: o.URL, Path: path})
		if fault.CodeOf(err) != httpx.FileFailed || !strings.Contains(err.Error(), "link") {
			t.Errorf("dangling %v: %v", dangling, err)
		}
		if text, err := os.ReadFile(other); dangling && err == nil || !dangling && !bytes.Equal(text, newText) {
			t.Errorf("dangling %v: the other file has %d bytes, %v", dangling, len(text), err)
		}
	}
}

// A relative path counts from the program's folder at the beginning of the attempt.
func TestDownloadToRelativePath(t *testing.T) {
	leaktest.Check(t)
	first, second := t.TempDir(), t.TempDir()
	t.Chdir(first)
	o := newOrigin(t, false, func(w http.ResponseWriter, r *http.Request) {
		t.Chdir(second)
		serves(oldText, tag)(w, r)
	})
	if _, err := flow.Run(t.Context(), httpx.Download(o.Client(), httpx.DownloadOptions{}), httpx.File{URL: o.URL, Path: "file"}); err != nil {
		t.Error(err)
	}
	wantFile(t, filepath.Join(first, "file"), oldText)
}

type breakingBody struct {
	io.Reader
	err error
}

func (b breakingBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = b.err
	}
	return n, err
}

func (breakingBody) Close() error { return nil }

func TestDownloadBreaks(t *testing.T) {
	client := &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
		body := breakingBody{bytes.NewReader(oldText), fmt.Errorf("broken: %w", io.EOF)}
		return &http.Response{StatusCode: 200, ContentLength: -1, Header: http.Header{}, Body: body, Request: r}, nil
	})}
	path := filepath.Join(t.TempDir(), "file")
	if _, err := flow.Run(t.Context(), httpx.Download(client, httpx.DownloadOptions{}), httpx.File{URL: "http://a/", Path: path}); fault.CodeOf(err) != fault.CommError {
		t.Error(err)
	}
}

// A link in place of the mark is removed, and what it names stays as it is.
func TestDownloadOfLinkedMark(t *testing.T) {
	leaktest.Check(t)
	o := newOrigin(t, false, hangs(600, serves(oldText, tag)), hangs(700, serves(oldText, tag)), serves(oldText, tag))
	path := filepath.Join(t.TempDir(), "file")
	file, mark, other := httpx.File{URL: o.URL, Path: path}, path+".part.json", filepath.Join(t.TempDir(), "other")
	interrupted(t, file, 600)
	before, err := os.ReadFile(mark)
	if err := errors.Join(err, os.Rename(mark, other)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, mark); err != nil {
		t.Skip(err)
	}
	interrupted(t, file, 700)
	if after, err := os.ReadFile(other); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the other file has %s, %v", after, err)
	}
	if _, err := flow.Run(t.Context(), download, file); err != nil {
		t.Error(err)
	}
	wantFile(t, path, oldText)
	http.DefaultClient.CloseIdleConnections()
}

func TestDownloadOverLitter(t *testing.T) {
	leaktest.Check(t)
	o := newOrigin(t, false, hangs(700, serves(oldText, tag)), serves(oldText, tag))
	path := filepath.Join(t.TempDir(), "file")
	interrupted(t, httpx.File{URL: o.URL, Path: path}, 700)
	mark, err := os.ReadFile(path + ".part.json")
	if err != nil {
		t.Fatal(err)
	}
	mark = bytes.Replace(mark, []byte(`\"v1\"`), []byte(`\"\u0000\"`), 1)
	if err := os.WriteFile(path+".part.json", mark, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := flow.Run(t.Context(), download, httpx.File{URL: o.URL, Path: path}); err != nil {
		t.Error(err)
	}
	wantFile(t, path, oldText)
	http.DefaultClient.CloseIdleConnections()
}

// A query may have a signature, so errors don't show it.
func TestDownloadKeepsSecrets(t *testing.T) {
	leaktest.Check(t)
	gone := newOrigin(t, false, serves(oldText, tag))
	gone.Close()
	breaks := newOrigin(t, false, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	to := newOrigin(t, false, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, breaks.URL+"/?secret", http.StatusFound)
	})
	for _, url := range []string{gone.URL + "/?secret", breaks.URL + "/?secret", to.URL} {
		_, err := flow.Run(t.Context(), download, httpx.File{URL: url, Path: filepath.Join(t.TempDir(), "file")})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}
