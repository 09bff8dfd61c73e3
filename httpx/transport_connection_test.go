package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/retry"
)

// proxied makes a transport that asks the given proxy, if any.
func proxied(t *testing.T, proxy string) *http.Transport {
	t.Helper()
	base := &http.Transport{}
	t.Cleanup(base.CloseIdleConnections)
	if proxy != "" {
		at, err := url.Parse(proxy)
		if err != nil {
			t.Fatal(err)
		}
		base.Proxy = http.ProxyURL(at)
	}
	return base
}

// refusing returns the URL of a SOCKS proxy that closes each connection.
func refusing(t *testing.T) string {
	t.Helper()
	l, _ := listen(t)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	return "socks5://" + l.Addr().String()
}

func TestTransportErrors(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + listener.Addr().String()
	listener.Close()
	var tries atomic.Int32
	cut := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		tries.Add(1)
		panic(http.ErrAbortHandler)
	}))
	defer cut.Close()
	tls := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was called") }))
	tls.Config.ErrorLog = nil
	defer tls.Close()
	for _, tt := range []struct {
		reason, method, url, proxy string
		want                       fault.Code
		again                      int
	}{
		{"nobody listens", "POST", nobody, "", fault.ConnectError, 2},
		{"the connection is cut", "GET", cut.URL, "", fault.CommError, 2},
		{"and can't be repeated", "POST", cut.URL, "", fault.CommError, 0},
		{"a certificate of nobody", "GET", tls.URL, "", fault.CommError, 0},
		{"no scheme", "GET", "127.0.0.1", "", fault.CommError, 0},
		{"no proxy", "POST", "http://shop.example", nobody, fault.ConnectError, 2},
		{"no proxy for TLS", "POST", "https://shop.example", nobody, fault.ConnectError, 2},
		{"a proxy that refuses", "POST", "http://shop.example", refusing(t), fault.ConnectError, 2},
		{"a proxy with a certificate of nobody", "POST", "http://shop.example", tls.URL, fault.ConnectError, 0},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			tries.Store(0)
			again := 0
			base := proxied(t, tt.proxy)
			transport := httpx.NewTransport(base, httpx.Policy{Retry: retry.Policy{PauseAfter: func(int, error) time.Duration {
				again++
				return 0
			}}})
			r := get(t, tt.url)
			r.Method = tt.method
			a, err := transport.RoundTrip(r)
			if fault.CodeOf(err) != tt.want || a != nil || again != tt.again {
				t.Errorf("%v, repeated %d times, want %s and %d", err, again, tt.want, tt.again)
			}
			if e, ok := errors.AsType[*fault.Error](err); !ok || e.Path == "" {
				t.Errorf("%v has no path", err)
			}
		})
	}
}

func TestTransportCancel(t *testing.T) {
	leaktest.Check(t)
	reached := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			fmt.Fprint(w, "beginning")
			w.(http.Flusher).Flush()
		}
		close(reached)
		<-r.Context().Done()
	}))
	defer s.Close()
	transport := httpx.NewTransport(&http.Transport{}, httpx.Policy{Hedge: time.Hour})
	defer transport.CloseIdleConnections()
	why := errors.New("no longer wanted")

	t.Run("while the answer is waited for", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			<-reached
			cancel(why)
		}()
		_, err := transport.RoundTrip(get(t, s.URL).WithContext(ctx))
		if !errors.Is(err, context.Canceled) || !errors.Is(err, why) || fault.CodeOf(err) != fault.Cancelled {
			t.Errorf("%v", err)
		}
	})
	t.Run("while the body is read", func(t *testing.T) {
		reached = make(chan struct{})
		ctx, cancel := context.WithCancelCause(t.Context())
		a, err := transport.RoundTrip(get(t, s.URL+"/body").WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		<-reached
		head := make([]byte, len("beginning"))
		if _, err := io.ReadFull(a.Body, head); err != nil || string(head) != "beginning" {
			t.Fatalf("%q, %v", head, err)
		}
		cancel(why)
		if _, err := io.ReadAll(a.Body); !errors.Is(err, context.Canceled) && !errors.Is(err, why) {
			t.Errorf("%v", err)
		}
	})
	t.Run("a body that nobody reads", func(t *testing.T) {
		reached = make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := transport.RoundTrip(get(t, s.URL+"/body").WithContext(ctx)); err != nil {
			t.Fatal(err)
		}
		cancel()
	})
}

func TestTransportOneConnection(t *testing.T) {
	var n atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) < 3 {
			w.WriteHeader(503)
			_, _ = w.Write(make([]byte, 1<<20))
		}
	}))
	defer s.Close()
	transport := httpx.NewTransport(&http.Transport{MaxConnsPerHost: 1}, httpx.Policy{})
	defer transport.CloseIdleConnections()
	a, err := transport.RoundTrip(get(t, s.URL))
	if err != nil || a.StatusCode != 200 || n.Load() != 3 {
		t.Fatalf("%v after %d requests", err, n.Load())
	}
	a.Body.Close()
}

func TestTransportLongFailure(t *testing.T) {
	long := strings.Repeat("0123456789", 20_000)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(500)
		io.WriteString(w, long)
	}))
	defer s.Close()
	a, err := httpx.NewTransport(nil, httpx.Policy{}).RoundTrip(get(t, s.URL))
	if err != nil {
		t.Fatal(err)
	}
	if text := read(t, a); text != long {
		t.Errorf("%d bytes of %d", len(text), len(long))
	}
}

func TestTransportOverHTTP2(t *testing.T) {
	var n atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if n.Add(1) < 3 {
			w.WriteHeader(503)
		}
		fmt.Fprint(w, r.Proto, " ", string(text))
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	client := &http.Client{Transport: httpx.NewTransport(s.Client().Transport, httpx.Policy{Hedge: time.Hour, Limit: time.Minute})}
	defer client.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.URL, strings.NewReader("in"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if text := read(t, a); text != "HTTP/2.0 in" || n.Load() != 3 {
		t.Errorf("%q after %d requests", text, n.Load())
	}
}

func TestTransportFollowsRedirects(t *testing.T) {
	mux := http.NewServeMux()
	var n atomic.Int32
	mux.Handle("/old", http.RedirectHandler("/new", http.StatusTemporaryRedirect))
	mux.HandleFunc("/new", func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) == 1 {
			w.WriteHeader(502)
			return
		}
		io.Copy(w, r.Body)
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.URL+"/old", strings.NewReader("in"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := (&http.Client{Transport: httpx.NewTransport(nil, httpx.Policy{})}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if text := read(t, a); text != "in" || n.Load() != 2 || a.Request.URL.Path != "/new" {
		t.Errorf("%q of %s", text, a.Request.URL)
	}
}

func TestTransportUpgrades(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		rw.Flush()
		line, _ := rw.ReadString('\n')
		rw.WriteString(line)
		rw.Flush()
	}))
	defer s.Close()
	r := get(t, s.URL)
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "echo")
	a, err := httpx.NewTransport(nil, httpx.Policy{}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	w, ok := a.Body.(io.Writer)
	if !ok {
		t.Fatalf("%T can't be written to", a.Body)
	}
	if _, err := io.WriteString(w, "hello\n"); err != nil {
		t.Fatal(err)
	}
	if text := read(t, a); text != "hello\n" {
		t.Errorf("%q", text)
	}
}
