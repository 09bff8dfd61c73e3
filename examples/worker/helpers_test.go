package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// server is an http.RoundTripper without a network, so that a run can be in the virtual time of synctest.
type server struct {
	answer func(ctx context.Context, name string, call int) (status int, err error)
	began  time.Time
	calls  []string // "name at second"
}

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	name := r.Header.Get("Idempotency-Key")
	body, err := io.ReadAll(r.Body)
	if string(body) != "content of "+name {
		return nil, fmt.Errorf("got %q, %w", body, err)
	}
	s.calls = append(s.calls, fmt.Sprint(name, " at ", time.Since(s.began).Seconds()))
	status, err := s.answer(r.Context(), name, len(s.calls))
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Status: fmt.Sprint(status, " ", http.StatusText(status)), Body: http.NoBody}, nil
}

func newSpool(t *testing.T, names ...string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, name := range names {
		put(t, folder, name)
	}
	return folder
}

func put(t *testing.T, folder, name string) {
	if err := os.WriteFile(filepath.Join(folder, name), []byte("content of "+name), 0o600); err != nil {
		t.Error(err)
	}
}

func testOptions(folder string) options {
	return options{
		spool: folder, to: "http://server", rate: 5, attempts: 3,
		limit: 10 * time.Second, poll: 2 * time.Second, patience: 30 * time.Second,
	}
}

// runWorker runs the worker in a synctest bubble, and stops it after the time until. It makes 5 calls a second, 3 for a file, of at
// most 10 s, polls every 2 s, and has a patience of 30 s.
func runWorker(t *testing.T, until time.Duration, folder string, s *server) (said string) {
	t.Helper()
	s.began = time.Now()
	stop, cancel := context.WithCancel(t.Context())
	time.AfterFunc(until, cancel)
	var out strings.Builder
	if err := run(stop, testOptions(folder), &http.Client{Transport: s}, &out); err != nil {
		t.Error(err)
	}
	return out.String()
}

// wantFolders compares the names of the files in the folders: "waits | sent | dead".
func wantFolders(t *testing.T, folder, want string) {
	t.Helper()
	var got [3]string
	for i, sub := range []string{".", "sent", "dead"} {
		got[i] = list(t, filepath.Join(folder, sub))
	}
	if got := strings.Join(got[:], " | "); got != want {
		t.Errorf("the folders are %s\nwant %s", got, want)
	}
}

func list(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Error(err)
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return strings.Join(names, " ")
}

func (s *server) wantCalls(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(s.calls, want) {
		t.Errorf("the calls were %q\nwant %q", s.calls, want)
	}
}

var errReset = errors.New("connection reset by peer")
