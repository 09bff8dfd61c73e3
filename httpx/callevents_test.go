package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

// told makes a step that posts to the path in its input and joins the data of events before "end".
func told(s *httptest.Server, accept string) step.Step[string, string] {
	request := func(ctx context.Context, path string) (*http.Request, error) {
		if path == "" {
			return nil, errNoPath
		}
		r, err := httpx.NewJSONRequest(ctx, http.MethodPost, s.URL+path, 1)
		if err == nil && accept != "" {
			r.Header.Set("Accept", accept)
		}
		return r, err
	}
	return httpx.CallEvents(s.Client(), request, func(_ context.Context, all *string, e httpx.Event) (bool, error) {
		switch e.Data {
		case "end":
			return true, nil
		case "wrong":
			return false, errWrong
		}
		*all += e.Data
		return false, nil
	})
}

var (
	errNoPath = errors.New("no path")
	errWrong  = errors.New("wrong")
)

func TestCallEvents(t *testing.T) {
	leaktest.Check(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		write := func(all ...string) {
			for _, data := range all {
				fmt.Fprintf(w, "data: %s\n\n", data)
			}
		}
		switch r.URL.Path {
		case "/all":
			write(r.Method, string(body), r.Header.Get("Accept"), "end", "wrong")
		case "/short":
			write("a", "b")
		case "/wrong":
			write("a", "wrong", "end")
		case "/busy":
			http.Error(w, "busy", http.StatusServiceUnavailable)
		}
	}))
	defer s.Close()
	for _, tt := range []struct{ accept, path, want string }{
		{"", "/all", "POST1text/event-stream"},
		{"application/json, text/event-stream", "/all", "POST1application/json, text/event-stream"},
	} {
		for range 2 { // the second call begins anew
			if got, err := flow.Run(t.Context(), told(s, tt.accept), tt.path); got != tt.want || err != nil {
				t.Errorf("%s: %q %v", tt.path, got, err)
			}
		}
	}
	for _, tt := range []struct {
		path string
		want error
	}{
		{"/short", fault.CommError},
		{"/none", fault.CommError},
		{"/wrong", errWrong},
		{"", errNoPath},
	} {
		if got, err := flow.Run(t.Context(), told(s, ""), tt.path); got != "" || !errors.Is(err, tt.want) {
			t.Errorf("%s: %q %v", tt.path, got, err)
		}
	}
	_, err := flow.Run(t.Context(), told(s, ""), "/busy")
	if e, ok := errors.AsType[*httpx.StatusError](err); !ok || e.Status != http.StatusServiceUnavailable {
		t.Error(err)
	}
}

func TestCallEventsAgain(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: a\n\n")
		if asked++; asked == 2 {
			fmt.Fprint(w, "data: end\n\n")
		}
	}))
	defer s.Close()
	got, err := flow.Run(t.Context(), retry.Of(retry.Policy{}, told(s, "")), "/")
	if got != "a" || err != nil || asked != 2 {
		t.Errorf("%q %v after %d requests", got, err, asked)
	}
}

// The body has no end: the call doesn't wait for one.
func TestCallEventsEnds(t *testing.T) {
	leaktest.Check(t)
	gone := make(chan string, 2)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: ", strings.TrimPrefix(r.URL.Path, "/"), "\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		gone <- r.URL.Path
	}))
	defer s.Close()
	if _, err := flow.Run(t.Context(), flow.Timeout(20*time.Millisecond, told(s, "")), "/a"); !errors.Is(err, fault.Timeout) {
		t.Error(err)
	}
	if _, err := flow.Run(t.Context(), told(s, ""), "/end"); err != nil {
		t.Error(err)
	}
	if one, two := <-gone, <-gone; one != "/a" && one != "/end" || one == two {
		t.Error(one, two)
	}
}

func TestCallEventsHandsOut(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: a\n\ndata: b\n\ndata: c\n\n")
	}))
	defer s.Close()
	parts := flow.NewOutput[string]("parts")
	count := httpx.CallEvents(s.Client(), func(ctx context.Context, url string) (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	}, func(ctx context.Context, n *int, e httpx.Event) (bool, error) {
		*n++
		return *n == 3, parts.Send(ctx, e.Data)
	})
	run := flow.RunOutput(t.Context(), parts, count, s.URL)
	var all string
	for part := range run.All() {
		all += part
	}
	if n, err := run.Result(); all != "abc" || n != 3 || err != nil {
		t.Errorf("%q %d %v", all, n, err)
	}
}

func TestCallEventsNil(t *testing.T) {
	request := func(context.Context, int) (*http.Request, error) { return nil, errNoPath }
	take := func(context.Context, *int, httpx.Event) (bool, error) { return true, nil }
	for _, s := range []step.Step[int, int]{
		httpx.CallEvents[int, int](nil, nil, take), httpx.CallEvents[int, int](nil, request, nil),
	} {
		if flow.Of(s).Err() == nil {
			t.Error("a nil function isn't reported")
		}
	}
}

func TestCallEventsOfABareRequest(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\n", r.Header.Get("Accept"))
	}))
	defer s.Close()
	take := func(_ context.Context, all *string, e httpx.Event) (bool, error) { *all = e.Data; return true, nil }
	for bare, want := range map[bool]string{true: "text/event-stream", false: ""} {
		request := func(ctx context.Context, _ int) (*http.Request, error) {
			if !bare {
				return nil, nil //nolint:nilnil // that is what is tried
			}
			at, err := url.Parse(s.URL)
			return (&http.Request{Method: http.MethodGet, URL: at}).WithContext(ctx), err
		}
		if got, err := flow.Run(t.Context(), httpx.CallEvents(s.Client(), request, take), 0); got != want || (err == nil) != bare {
			t.Errorf("%q, %v", got, err)
		}
	}
}
