package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/syncx"
)

func handle(f func(w http.ResponseWriter, r *http.Request)) http.Handler { return http.HandlerFunc(f) }

// quiet serves h without the log of its panics.
func quiet(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func TestSyncLimits(t *testing.T) {
	entered, leave := make(chan struct{}, 2), make(chan struct{})
	mutex := syncx.NewMutex(1, 1)
	s := quiet(t, httpx.Sync(mutex, handle(func(w http.ResponseWriter, _ *http.Request) {
		entered <- struct{}{}
		<-leave
		fmt.Fprint(w, "served")
	})))
	answers := make(chan string, 2)
	call := func() {
		a, err := s.Client().Get(s.URL)
		if err != nil {
			answers <- err.Error()
			return
		}
		defer a.Body.Close()
		text, _ := io.ReadAll(a.Body)
		answers <- fmt.Sprint(a.StatusCode, " ", string(text))
	}
	go call()
	<-entered
	go call()
	for mutex.Queued() == 0 {
		select {
		case text := <-answers:
			t.Fatal(text)
		default:
		}
	}
	a, err := s.Client().Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if text := read(t, a); a.StatusCode != 429 || a.Header.Get("Retry-After") != "1" || !strings.Contains(text, "Too Many Requests") {
		t.Errorf("a full queue: %d %s", a.StatusCode, text)
	}
	close(leave)
	for range 2 {
		if text := <-answers; text != "200 served" {
			t.Error(text)
		}
	}
	if mutex.Inside() != 0 || mutex.Queued() != 0 {
		t.Errorf("%d inside, %d queued", mutex.Inside(), mutex.Queued())
	}
}

func TestSyncClientGoesAway(t *testing.T) {
	mutex := syncx.NewMutex(1, 10)
	entered, leave, called := make(chan struct{}), make(chan struct{}), 0
	s := quiet(t, httpx.Sync(mutex, handle(func(http.ResponseWriter, *http.Request) {
		called++
		close(entered)
		<-leave
	})))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if a, err := s.Client().Get(s.URL); err == nil {
			a.Body.Close()
		}
	}()
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for mutex.Queued() == 0 {
		}
		cancel()
	}()
	if _, err := s.Client().Do(get(t, s.URL).WithContext(ctx)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for mutex.Queued() != 0 {
	}
	close(leave)
	<-done
	if called != 1 {
		t.Errorf("called %d times", called)
	}
}

func TestSyncLearns(t *testing.T) {
	for _, tt := range []struct {
		reason string
		next   func(w http.ResponseWriter, r *http.Request)
		open   bool
	}{
		{"a success", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "yes") }, false},
		{"nothing written", func(http.ResponseWriter, *http.Request) {}, false},
		{"the client's mistake", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, false},
		{"ours", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, true},
		{"after an information", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(103)
			w.WriteHeader(502)
		}, true},
		{"the first status counts", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(200)
			w.WriteHeader(500)
		}, false},
		{"a panic", func(http.ResponseWriter, *http.Request) { panic("a defect") }, true},
		{"an abort", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, true},
	} {
		breaker := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1})
		s := quiet(t, httpx.Sync(breaker, handle(tt.next)))
		if a, err := s.Client().Get(s.URL); err == nil {
			a.Body.Close()
		}
		if (breaker.State() == syncx.Open) != tt.open {
			t.Errorf("%s: %v", tt.reason, breaker.State())
		}
		if !tt.open {
			continue
		}
		a, err := s.Client().Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		if text := read(t, a); a.StatusCode != 503 || a.Header.Get("Retry-After") != "60" {
			t.Errorf("%s: then %d %s", tt.reason, a.StatusCode, text)
		}
	}
}

func TestSyncPanicsGoOn(t *testing.T) {
	for _, value := range []any{"a defect", http.ErrAbortHandler} {
		var got any
		h := httpx.Sync(syncx.NewMutex(1, 0), handle(func(http.ResponseWriter, *http.Request) { panic(value) }))
		func() {
			defer func() { got = recover() }()
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		}()
		p, ok := got.(*fault.Panic)
		if value == http.ErrAbortHandler {
			ok = got == value
		} else {
			ok = ok && p.Value == value && strings.Contains(string(p.Stack), "TestSyncPanicsGoOn")
		}
		if !ok {
			t.Errorf("%v went on as %v", value, got)
		}
	}
}

func TestSyncResponseWriter(t *testing.T) {
	// room for one more: a client has the hijacked answer before the section of its request has ended
	s := quiet(t, httpx.Sync(syncx.NewMutex(2, 0), handle(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/flush":
			fmt.Fprint(w, "flu")
			w.(http.Flusher).Flush()
			fmt.Fprint(w, "shed")
		case "/copy":
			if n, err := w.(io.ReaderFrom).ReadFrom(strings.NewReader("copied")); n != 6 || err != nil {
				t.Error(n, err)
			}
		case "/hijack":
			conn, rw, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			fmt.Fprint(rw, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhijacked")
			rw.Flush()
		case "/deadline":
			if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
				t.Error(err)
			}
			fmt.Fprint(w, "controlled")
		}
	})))
	for path, want := range map[string]string{"/flush": "flushed", "/copy": "copied", "/hijack": "hijacked", "/deadline": "controlled"} {
		a, err := s.Client().Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		if text := read(t, a); a.StatusCode != 200 || text != want {
			t.Errorf("%s: %d %q", path, a.StatusCode, text)
		}
	}
	w := httptest.NewRecorder()
	httpx.Sync(syncx.NewMutex(1, 0), handle(func(w http.ResponseWriter, _ *http.Request) {
		_, rw, err := w.(http.Hijacker).Hijack()
		if err == nil || rw != nil {
			t.Error("a recorder has no connection")
		}
	})).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
}

// stuck is a ResponseWriter whose flush fails.
type stuck struct {
	http.ResponseWriter
	err error
}

func (u stuck) FlushError() error { return u.err }

func TestSyncFlushFails(t *testing.T) {
	w, gone := httptest.NewRecorder(), errors.New("the client has gone")
	for reason, tt := range map[string]struct {
		w    http.ResponseWriter
		want error
		open bool
	}{
		"a flush that fails":          {stuck{w, gone}, gone, false},
		"a writer that doesn't flush": {struct{ http.ResponseWriter }{w}, http.ErrNotSupported, true},
	} {
		breaker := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1})
		httpx.Sync(breaker, handle(func(w http.ResponseWriter, _ *http.Request) {
			if err := http.NewResponseController(w).Flush(); !errors.Is(err, tt.want) {
				t.Errorf("%s: %v", reason, err)
			}
			w.WriteHeader(500) // comes too late if the flush has begun the answer
		})).ServeHTTP(tt.w, httptest.NewRequest(http.MethodGet, "/", nil))
		if open := breaker.State() == syncx.Open; open != tt.open {
			t.Errorf("%s: the breaker is open: %v", reason, open)
		}
	}
}

func TestSyncNotWellFormed(t *testing.T) {
	next := handle(func(http.ResponseWriter, *http.Request) { t.Error("called") })
	for reason, h := range map[string]http.Handler{
		"a nil guard":         httpx.Sync(nil, next),
		"a bad guard":         httpx.Sync(syncx.NewMutex(-1, 0), next),
		"a nil handler":       httpx.Sync(syncx.NewMutex(1, 0), nil),
		"Deadline of nothing": httpx.Deadline("", 0, nil),
		"Priority of nothing": httpx.Priority(nil, nil),
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if w.Code != 500 {
			t.Errorf("%s: %d", reason, w.Code)
		}
	}
}
