package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

func TestCallJSON(t *testing.T) {
	leaktest.Check(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /item", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"item":%q,"n":3}`, r.Header.Get("Accept"))
	})
	mux.Handle("POST /echo", httpx.Handler(sell, httpx.ReadRequest[order](1000), httpx.WriteJSON[receipt]))
	mux.HandleFunc("/missing", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(404)
		io.WriteString(w, strings.Repeat("x", 5000))
	})
	mux.HandleFunc("/nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	mux.HandleFunc("/text", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "teapot") })
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, `{"item":`)
	})
	mux.HandleFunc("/long", func(w http.ResponseWriter, _ *http.Request) {
		chunk := []byte(strings.Repeat(" ", 1<<20))
		for range 17 {
			w.Write(chunk)
		}
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	client := s.Client()

	item, err := flow.Run(t.Context(), httpx.GetJSON[order](client), s.URL+"/item")
	if err != nil || item != (order{"application/json", 3}) {
		t.Errorf("%v, %v", item, err)
	}
	got, err := flow.Run(t.Context(), httpx.PostJSON[order, receipt](client, s.URL+"/echo"), order{"teapot", 2})
	if err != nil || got.Text != "2 teapot" {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := flow.Run(t.Context(), httpx.PostJSON[order, receipt](client, s.URL+"/nothing"), order{}); err != nil || got.Text != "" {
		t.Errorf("%v, %v", got, err)
	}
	for _, tt := range []struct {
		path string
		want fault.Code
		text string
	}{
		{"/missing?token=secret", fault.CommError, "/missing: 404 Not Found"},
		{"/text", fault.CommError, "the answer is not the JSON that was expected"},
		{"/cut", fault.CommError, "the answer broke off"},
		{"/long", fault.CommError, "the answer is longer than 16777216 bytes"},
		{"\x00", fault.InvokerError, "not a request"},
	} {
		_, err := flow.Run(t.Context(), httpx.GetJSON[order](client), s.URL+tt.path)
		if fault.CodeOf(err) != tt.want || !strings.Contains(err.Error(), tt.text) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", tt.path, err)
		}
		if status, ok := errors.AsType[*httpx.StatusError](err); ok && (status.Status != 404 || len(status.Body) != 4096 || status.Method != "GET") {
			t.Errorf("%+v", status)
		}
	}
	_, err = flow.Run(t.Context(), httpx.PostJSON[chan int, int](client, s.URL), make(chan int))
	if fault.CodeOf(err) != fault.InvokerError {
		t.Error(err)
	}
	s.Close()
	if _, err := flow.Run(t.Context(), httpx.GetJSON[order](client), s.URL); fault.CodeOf(err) != fault.ConnectError {
		t.Error(err)
	}
	client.CloseIdleConnections()
}

// The Timeout of a client is fault.Timeout wherever it passes: before the answer, or while its body is read.
func TestTimeoutOfTheClient(t *testing.T) {
	leaktest.Check(t)
	s := httptest.NewServer(handle(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/header" {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: 1\n\n")
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}))
	defer s.Close()
	client := s.Client()
	client.Timeout = 50 * ms
	dir := t.TempDir()
	for name, client := range map[string]*http.Client{
		"bare":      client,
		"transport": {Transport: httpx.NewTransport(client.Transport, httpx.Policy{}), Timeout: 50 * ms},
	} {
		events := httpx.CallEvents(client, func(ctx context.Context, url string) (*http.Request, error) {
			return http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		}, func(context.Context, *int, httpx.Event) (bool, error) { return false, nil })
		into := step.Map(func(url string) httpx.File { return httpx.File{URL: url, Path: filepath.Join(dir, "file")} })
		download := flow.Then(into, flow.Then(httpx.Download(client, httpx.DownloadOptions{}), flow.Value[httpx.Downloaded](0)))
		for what, get := range map[string]step.Step[string, int]{"JSON": httpx.GetJSON[int](client), "events": events, "download": download} {
			for _, path := range []string{"/header", "/body"} {
				if _, err := flow.Run(t.Context(), get, s.URL+path); fault.CodeOf(err) != fault.Timeout {
					t.Errorf("%s, %s, %s: %v", name, what, path, err)
				}
			}
		}
	}
	client.CloseIdleConnections()
}

// Calls that take only the status use one connection, wherever the body ends; a status other than 2xx is an error.
func TestReadStatus(t *testing.T) {
	var connections atomic.Int32
	s := httptest.NewUnstartedServer(handle(func(w http.ResponseWriter, r *http.Request) {
		broken := r.URL.Path == "/broken"
		if r.URL.Path == "/no" {
			w.WriteHeader(http.StatusGone)
		}
		if broken {
			w.Header().Set("Content-Length", "100")
		}
		fmt.Fprint(w, "thanks")
		_ = http.NewResponseController(w).Flush()
		if !broken {
			fmt.Fprint(w, strings.Repeat(" and more", 1000))
		}
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	tell := httpx.Call(s.Client(), func(ctx context.Context, path string) (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodPost, s.URL+path, nil)
	}, httpx.ReadStatus)
	for range 5 {
		if _, err := flow.Run(t.Context(), tell, "/"); err != nil {
			t.Error(err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("5 calls have used %d connections, want 1", n)
	}
	_, err := flow.Run(t.Context(), tell, "/no")
	if status, ok := errors.AsType[*httpx.StatusError](err); !ok || status.Status != http.StatusGone {
		t.Error(err)
	}
	if _, err := flow.Run(t.Context(), tell, "/broken"); err != nil {
		t.Errorf("a body that breaks off: %v", err)
	}
}

func TestCallLimit(t *testing.T) {
	s := httptest.NewServer(handle(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer s.Close() // waits for the handler, if the limit hasn't passed before it was reached
	_, err := flow.Run(t.Context(), flow.Timeout(20*time.Millisecond, httpx.GetJSON[int](s.Client())), s.URL)
	if fault.CodeOf(err) != fault.Timeout {
		t.Error(err)
	}
}

func TestCallKeepsErrors(t *testing.T) {
	want := fault.New("Mine", "")
	request := func(ctx context.Context, url string) (*http.Request, error) {
		if url == "" {
			return nil, want
		}
		return http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	}
	body := new(bool)
	client := &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
		a, closed := answer(r, 404, "")
		body = closed
		return a, nil
	})}
	call := httpx.Call(client, request, func(*http.Response) (int, error) { return 0, want })
	for _, url := range []string{"", "http://shop/"} {
		if _, err := flow.Run(t.Context(), call, url); !errors.Is(err, want) {
			t.Errorf("%q: %v", url, err)
		}
	}
	if !*body {
		t.Error("the body isn't closed")
	}
	*body = false
	panics := httpx.Call(client, request, func(*http.Response) (int, error) { panic("mistake") })
	if _, err := flow.Run(t.Context(), panics, "http://shop/"); fault.CodeOf(err) != fault.InternalError || !*body {
		t.Errorf("%v; the body is closed: %v", err, *body)
	}
}

func TestNewJSONRequest(t *testing.T) {
	sent := 0
	client := &http.Client{Transport: httpx.NewTransport(tripper(func(r *http.Request) (*http.Response, error) {
		sent++
		if text, err := io.ReadAll(r.Body); err != nil || string(text) != `{"item":"teapot","n":2}` {
			t.Errorf("attempt %d sends %q, %v", sent, text, err)
		}
		a, _ := answer(r, 503, "")
		return a, nil
	}), httpx.Policy{})}
	r, err := httpx.NewJSONRequest(t.Context(), http.MethodPut, "http://shop/", order{"teapot", 2})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := client.Do(r); err == nil {
		a.Body.Close()
	}
	if sent != 3 {
		t.Errorf("sent %d times", sent)
	}
	for _, bad := range []struct {
		method, url string
		in          any
	}{{"PUT", "http://shop/", make(chan int)}, {"P T", "http://shop/", 1}, {"PUT", "\x00", 1}} {
		if _, err := httpx.NewJSONRequest(t.Context(), bad.method, bad.url, bad.in); fault.CodeOf(err) != fault.InvokerError {
			t.Errorf("%q %q %v: %v", bad.method, bad.url, bad.in, err)
		}
	}
}

func TestCallMissing(t *testing.T) {
	for _, s := range []step.Step[string, int]{
		httpx.Call[string](nil, nil, httpx.ReadJSON[int]),
		httpx.Call[string, int](nil, func(context.Context, string) (*http.Request, error) { return nil, nil }, nil),
	} {
		if err := flow.Of(s).Err(); fault.CodeOf(err) != fault.InvalidRequest {
			t.Error(err)
		}
	}
	nothing := httpx.Call(nil, func(context.Context, string) (*http.Request, error) { return nil, nil }, httpx.ReadJSON[int])
	if _, err := flow.Run(t.Context(), nothing, ""); err == nil {
		t.Error("a nil request was sent")
	}
}

func TestRetryOfStep(t *testing.T) {
	leaktest.Check(t)
	for status, want := range map[int]int{404: 1, 400: 1, 501: 1, 999: 1, 408: 3, 425: 3, 429: 3, 500: 3, 503: 3, 599: 3} {
		asked := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.WriteHeader(status)
		}))
		_, err := flow.Run(t.Context(), retry.Of(retry.Policy{}, httpx.GetJSON[int](server.Client())), server.URL)
		server.Close()
		if failed, ok := errors.AsType[*httpx.StatusError](err); !ok || failed.Status != status || asked != want {
			t.Errorf("%d: asked %d times, %v", status, asked, err)
		}
	}
}

func TestRequestsThatAreHopeless(t *testing.T) {
	leaktest.Check(t)
	asked := 0
	circle := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
	})
	plain, secret := httptest.NewServer(circle), httptest.NewUnstartedServer(circle)
	secret.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0) // it reports the handshakes that break off
	secret.StartTLS()
	defer plain.Close()
	defer secret.Close()
	for url, want := range map[string]int{
		plain.URL:              10,
		secret.URL:             0,
		"ftp://localhost":      0,
		"http:///x":            0,
		"unix:/var/run/x.sock": 0,
	} {
		tries := 0
		base := tripper(func(r *http.Request) (*http.Response, error) {
			tries++
			return http.DefaultTransport.RoundTrip(r)
		})
		for name, client := range map[string]*http.Client{
			"a retry":     {Transport: base},
			"a Transport": {Transport: httpx.NewTransport(base, httpx.Policy{})},
		} {
			asked, tries = 0, 0
			_, err := flow.Run(t.Context(), retry.Of(retry.Policy{}, httpx.GetJSON[int](client)), url)
			if err == nil || asked != want || tries != max(want, 1) {
				t.Errorf("%s, %s: asked %d times, tried %d times, %v", name, url, asked, tries, err)
			}
		}
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// An error whose text can't be read gets the code CommError.
func TestRequestsThatFailWithoutAText(t *testing.T) {
	for _, broken := range []error{&url.Error{Op: "Get", URL: "/"}, mute{}} {
		client := &http.Client{Transport: tripper(func(*http.Request) (*http.Response, error) { return nil, broken })}
		for _, c := range []*http.Client{client, {Transport: httpx.NewTransport(client.Transport, httpx.Policy{})}} {
			if _, err := flow.Run(t.Context(), httpx.GetJSON[int](c), "http://localhost"); fault.CodeOf(err) != fault.CommError {
				t.Errorf("%T: the code is %s", broken, fault.CodeOf(err))
			}
		}
	}
}

type mute struct{}

func (mute) Error() string { panic("no text") }

// An http.RoundTripper may leave the Request of its answer nil, as one of a test often does.
func TestAnswersWithoutARequest(t *testing.T) {
	leaktest.Check(t)
	type key struct{}
	for _, status := range []int{200, 404} {
		base := tripper(func(*http.Request) (*http.Response, error) {
			header := http.Header{"Content-Type": {"text/event-stream"}}
			return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader("data: 1\n\n"))}, nil
		})
		for _, client := range []*http.Client{{Transport: base}, {Transport: httpx.NewTransport(base, httpx.Policy{})}} {
			s := httpx.CallEvents(client, func(ctx context.Context, url string) (*http.Request, error) {
				return http.NewRequestWithContext(context.WithValue(ctx, key{}, 1), http.MethodGet, url, nil)
			}, func(ctx context.Context, out *int, _ httpx.Event) (bool, error) {
				*out, _ = ctx.Value(key{}).(int)
				return true, nil
			})
			out, err := flow.Run(t.Context(), s, "http://host/x?secret")
			if status == 200 && (out != 1 || err != nil) || status != 200 && fault.InfoOf(err) != "GET http://host/x: 404 Not Found" {
				t.Errorf("%d: got %d, %v", status, out, err)
			}
			_, err = flow.Run(t.Context(), httpx.Download(client, httpx.DownloadOptions{}), httpx.File{URL: "http://host/x", Path: filepath.Join(t.TempDir(), "x")})
			if failed, ok := errors.AsType[*httpx.StatusError](err); ok != (status != 200) || ok && failed.URL != "http://host/x" {
				t.Errorf("%d: the download: %v", status, err)
			}
		}
		answer, err := base(nil)
		if err == nil {
			err = httpx.CheckStatus(answer)
		}
		if (err == nil) != (status == 200) || err != nil && err.Error() != "404 Not Found" {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// The error of a request that was redirected names the host that couldn't be reached.
func TestRedirectedToNobody(t *testing.T) {
	leaktest.Check(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	s := httptest.NewServer(http.RedirectHandler(gone.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	_, err := flow.Run(t.Context(), httpx.PostJSON[int, int](s.Client(), s.URL), 1)
	host := strings.TrimPrefix(gone.URL, "http://")
	if info := fault.InfoOf(err); info != "no connection to "+host || fault.CodeOf(err) != fault.ConnectError {
		t.Errorf("got %s: %s", fault.CodeOf(err), info)
	}
}
