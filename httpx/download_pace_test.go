package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/retry"
)

// lines is a body that pauses before each of its texts.
type lines struct {
	ctx   context.Context
	pause []time.Duration
}

func (l *lines) Read(b []byte) (int, error) {
	if len(l.pause) == 0 {
		return 0, io.EOF
	}
	select {
	case <-time.After(l.pause[0]):
	case <-l.ctx.Done():
		return 0, l.ctx.Err()
	}
	l.pause = l.pause[1:]
	return copy(b, "0123456789"), nil
}

func (l *lines) Close() error { return nil }

// paced is a client whose answers have ten bytes after each pause.
func paced(pauses ...[]time.Duration) *http.Client {
	return &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
		a, _ := answer(r, 200, "")
		pause := pauses[0]
		pauses = pauses[1:]
		a.ContentLength = int64(10 * len(pause))
		a.Body = &lines{r.Context(), pause}
		return a, nil
	})}
}

func TestDownloadStalls(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		stall, pause time.Duration
		want         error
	}{
		{time.Second, 900 * ms, nil},
		{time.Second, 1100 * ms, fault.Timeout},
		{0, 59 * time.Second, nil},
		{0, 61 * time.Second, fault.Timeout},
		{-1, time.Hour, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			client := paced([]time.Duration{tt.pause, tt.pause, tt.pause}, []time.Duration{0})
			path := filepath.Join(dir, "file")
			begun := time.Now()
			_, err := flow.Run(t.Context(), httpx.Download(client, httpx.DownloadOptions{Stall: tt.stall}), httpx.File{URL: "http://a/", Path: path})
			if fault.CodeOf(err) != fault.CodeOf(tt.want) {
				t.Errorf("%+v: %v after %v", tt, err, time.Since(begun))
			}
			if tt.want != nil {
				t.Log(err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})}
		_, err := flow.Run(t.Context(), httpx.Download(client, httpx.DownloadOptions{}), httpx.File{URL: "http://a/", Path: filepath.Join(dir, "file")})
		if fault.CodeOf(err) != fault.Timeout {
			t.Errorf("an answer that doesn't come: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		client := paced([]time.Duration{0, time.Hour}, []time.Duration{0})
		again := retry.Of(retry.Policy{}, httpx.Download(client, httpx.DownloadOptions{}))
		if got, err := flow.Run(t.Context(), again, httpx.File{URL: "http://a/", Path: filepath.Join(dir, "file")}); err != nil || got.Size != 10 {
			t.Errorf("a stall isn't tried again: %+v, %v", got, err)
		}
	})
}

// A slow Progress isn't a stall of the server.
func TestDownloadProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	synctest.Test(t, func(t *testing.T) {
		progress := flow.NewOutput[httpx.Progress]("progress")
		client := paced(slices.Repeat([]time.Duration{50 * ms}, 10))
		plan := httpx.Download(client, httpx.DownloadOptions{Progress: progress.Send, Stall: time.Second})
		begun := time.Now()
		run := flow.RunOutput(t.Context(), progress, plan, httpx.File{URL: "http://a/", Path: path})
		var got []string
		for p := range run.All() {
			got = append(got, fmt.Sprintf("%v: %d of %d", time.Since(begun), p.Bytes, p.Total))
			if len(got) <= 2 {
				time.Sleep(time.Minute)
			}
		}
		if _, err := run.Result(); err != nil {
			t.Error(err)
		}
		want := []string{"0s: 0 of 100", "1m0.05s: 10 of 100", "2m0.1s: 20 of 100", "2m0.3s: 60 of 100", "2m0.5s: 100 of 100", "2m0.5s: 100 of 100"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
	})
}

// An attempt that fails tells what has come since it told last.
func TestDownloadLastProgress(t *testing.T) {
	dir := t.TempDir()
	for reason, fails := range map[string]func(l *lines, stop func()){
		"a break":  func(l *lines, _ func()) { l.pause = l.pause[:3] },
		"a cancel": func(_ *lines, stop func()) { time.AfterFunc(170*ms, stop) },
		"a stall":  func(l *lines, _ func()) { l.pause[3] = time.Hour },
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			client := &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
				a, _ := answer(r, 200, "")
				body := &lines{r.Context(), slices.Repeat([]time.Duration{50 * ms}, 4)}
				fails(body, stop)
				a.ContentLength, a.Body = 100, body
				return a, nil
			})}
			var got []int64
			plan := httpx.Download(client, httpx.DownloadOptions{Progress: func(_ context.Context, p httpx.Progress) error {
				got = append(got, p.Bytes)
				return nil
			}})
			_, err := flow.Run(ctx, plan, httpx.File{URL: "http://a/", Path: filepath.Join(dir, "file")})
			if err == nil || !slices.Equal(got, []int64{0, 30}) {
				t.Errorf("%s: told %v, %v", reason, got, err)
			}
		})
	}
}

func TestDownloadProgressFails(t *testing.T) {
	full, told := errors.New("full"), 0
	plan := httpx.Download(paced([]time.Duration{0}), httpx.DownloadOptions{Progress: func(context.Context, httpx.Progress) error {
		told++
		return full
	}})
	if _, err := flow.Run(t.Context(), plan, httpx.File{URL: "http://a/", Path: filepath.Join(t.TempDir(), "file")}); !errors.Is(err, full) || told != 1 {
		t.Errorf("%v, told %d times", err, told)
	}
}
