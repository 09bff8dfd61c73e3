package httpx_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/step"
)

func listen(t *testing.T) (l net.Listener, url string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l, "http://" + l.Addr().String()
}

// holding is a handler whose requests are held until they are released or their context ends.
type holding struct{ came, release, left chan struct{} }

func newHolding() *holding {
	return &holding{make(chan struct{}, 1), make(chan struct{}), make(chan struct{}, 1)}
}

func (h *holding) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.came <- struct{}{}
	select {
	case <-h.release:
		fmt.Fprint(w, "answered")
	case <-r.Context().Done():
		h.left <- struct{}{}
	}
}

// asked sends a request, and tells how it has ended.
func asked(t *testing.T, client *http.Client, url string) <-chan string {
	t.Helper()
	r := get(t, url)
	ended := make(chan string, 1)
	go func() {
		answer, err := client.Do(r)
		if err != nil {
			ended <- "cut off"
			return
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		ended <- string(text)
	}()
	return ended
}

func newClient(t *testing.T) *http.Client {
	t.Helper()
	transport := new(http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestServeAnswersWhatIsAtWork(t *testing.T) {
	for name, serve := range map[string]func(context.Context, net.Listener, *http.Server) error{
		"by itself": func(ctx context.Context, l net.Listener, s *http.Server) error {
			return httpx.ServeOn(ctx, l, s, time.Hour)
		},
		"in a run": func(ctx context.Context, l net.Listener, s *http.Server) error {
			_, err := flow.Run(ctx, flow.Grace(2*time.Hour, step.Act(func(ctx context.Context) error {
				return httpx.ServeOn(ctx, l, s, time.Hour)
			})), step.Unit{})
			if errors.Is(err, fault.Cancelled) {
				err = nil // every run that was cancelled ends with that
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, url := listen(t)
			h := newHolding()
			stopping := make(chan struct{})
			server := &http.Server{Handler: h, ReadHeaderTimeout: time.Hour}
			server.RegisterOnShutdown(func() { close(stopping) })
			ctx, stop := context.WithCancel(t.Context())
			served := make(chan error, 1)
			go func() { served <- serve(ctx, l, server) }()
			first := asked(t, newClient(t), url)
			<-h.came
			stop()
			<-stopping // its listener is closed before
			if got := <-asked(t, newClient(t), url); got != "cut off" {
				t.Errorf("a request after the stop: %q", got)
			}
			select {
			case err := <-served:
				t.Errorf("it has ended before the request: %v", err)
			default:
			}
			close(h.release)
			if got := <-first; got != "answered" {
				t.Errorf("got %q", got)
			}
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestServePatience(t *testing.T) {
	for _, patience := range []time.Duration{0, 20 * ms} {
		l, url := listen(t)
		h := newHolding()
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() {
			served <- httpx.ServeOn(ctx, l, &http.Server{Handler: h, ReadHeaderTimeout: time.Hour}, patience)
		}()
		request := asked(t, newClient(t), url)
		<-h.came
		stop()
		if err := <-served; fault.CodeOf(err) != fault.Timeout || !strings.Contains(err.Error(), "at work") {
			t.Errorf("got %v", err)
		}
		if got := <-request; got != "cut off" {
			t.Errorf("got %q", got)
		}
		<-h.left
	}
}

func TestServeCannotListen(t *testing.T) {
	l, _ := listen(t)
	defer l.Close()
	server := &http.Server{Addr: l.Addr().String(), ReadHeaderTimeout: time.Second}
	err := httpx.Serve(t.Context(), server, time.Hour)
	if _, ok := fault.AsType[*net.OpError](err); !ok {
		t.Errorf("got %v", err)
	}
}

func TestServeEndedBefore(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, patience := range []time.Duration{0, time.Hour} {
		l, _ := listen(t)
		if err := httpx.ServeOn(ctx, l, &http.Server{ReadHeaderTimeout: time.Second}, patience); err != nil {
			t.Errorf("%v: %v", patience, err)
		}
		if err := httpx.Serve(ctx, &http.Server{Addr: "127.0.0.1:0", ReadHeaderTimeout: time.Second}, patience); err != nil {
			t.Errorf("%v: %v", patience, err)
		}
	}
}

func TestServeNewConnection(t *testing.T) {
	l, _ := listen(t)
	came := make(chan struct{}, 2)
	server := &http.Server{ReadHeaderTimeout: time.Hour, ConnState: func(net.Conn, http.ConnState) { came <- struct{}{} }}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- httpx.ServeOn(ctx, l, server, 20*ms) }()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	<-came
	stop()
	if err := <-served; fault.CodeOf(err) != fault.Timeout || !strings.Contains(err.Error(), "connections new") {
		t.Errorf("got %v", err)
	}
}

// breaking is a listener that fails when it is told to.
type breaking struct {
	net.Listener
	broken chan struct{}
}

var errBroken = errors.New("broken")

func (b breaking) Accept() (net.Conn, error) {
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.broken
		return nil, errBroken
	}
	return c, nil
}

// Serve returns after the requests at work also if the listener breaks or somebody else shuts the server down.
func TestServeBreaks(t *testing.T) {
	for _, byOther := range []bool{false, true} {
		inner, url := listen(t)
		h := newHolding()
		l := breaking{inner, make(chan struct{})}
		server := &http.Server{Handler: h, ReadHeaderTimeout: time.Hour}
		served := make(chan error, 1)
		go func() { served <- httpx.ServeOn(t.Context(), l, server, time.Hour) }()
		request := asked(t, newClient(t), url)
		<-h.came
		want := errBroken
		close(l.broken)
		if byOther {
			want = http.ErrServerClosed
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_ = server.Shutdown(ctx) // it doesn't wait
		} else {
			inner.Close()
		}
		select {
		case err := <-served:
			t.Errorf("it has ended before the request: %v", err)
		case <-time.After(20 * ms): // a defect would be faster
		}
		close(h.release)
		if got := <-request; got != "answered" {
			t.Errorf("got %q", got)
		}
		err := <-served
		if !errors.Is(err, want) || byOther && fault.CodeOf(err) != fault.Cancelled {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

func TestServeAfterAShutdown(t *testing.T) {
	server := &http.Server{ReadHeaderTimeout: time.Second}
	_ = server.Close()
	l, _ := listen(t)
	err := httpx.ServeOn(t.Context(), l, server, time.Hour)
	if !errors.Is(err, http.ErrServerClosed) || fault.CodeOf(err) != fault.Cancelled || !strings.Contains(err.Error(), "shut the server down") {
		t.Errorf("got %v", err)
	}
}

func TestServeTLS(t *testing.T) {
	other := httptest.NewTLSServer(nil)
	defer other.Close()
	l, _ := listen(t)
	h := newHolding()
	close(h.release)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		server := &http.Server{Handler: h, ReadHeaderTimeout: time.Hour, TLSConfig: &tls.Config{Certificates: other.TLS.Certificates, MinVersion: tls.VersionTLS12}}
		served <- httpx.ServeOn(ctx, l, server, time.Hour)
	}()
	if got := <-asked(t, other.Client(), "https://"+l.Addr().String()); got != "answered" {
		t.Errorf("got %q", got)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	l, _ = listen(t)
	if err := httpx.ServeOn(t.Context(), l, &http.Server{ReadHeaderTimeout: time.Second, TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12}}, time.Hour); err == nil {
		t.Error("no certificate, and no error")
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is open: %v", err)
	}
}

func TestServeRefuses(t *testing.T) {
	server := &http.Server{Addr: "127.0.0.1:0", ReadHeaderTimeout: time.Second}
	var none context.Context
	l, _ := listen(t)
	for what, err := range map[string]error{
		"no context":          httpx.Serve(none, server, 0),
		"no server":           httpx.Serve(t.Context(), nil, 0),
		"a negative patience": httpx.Serve(t.Context(), server, -1),
		"no listener":         httpx.ServeOn(t.Context(), nil, server, 0),
		"a listener, no more": httpx.ServeOn(none, l, nil, 0),
	} {
		if fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is open: %v", err)
	}
}

// A server with two listeners answers on both of them, without TLS.
func TestServeTwoListeners(t *testing.T) {
	leaktest.Check(t)
	ctx, stop := context.WithCancel(t.Context())
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "here") })}
	ends := make(chan error, 2)
	for range 2 {
		l, url := listen(t)
		go func() { ends <- httpx.ServeOn(ctx, l, server, time.Second) }()
		r, err := http.Get(url)
		if err != nil {
			t.Error(err)
			continue
		}
		r.Body.Close()
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	stop()
	for range 2 {
		if err := <-ends; err != nil {
			t.Error(err)
		}
	}
}

// endsLater is a context that tells nobody when it has ended, as one does that is about to tell its children.
type endsLater struct {
	context.Context

	ended atomic.Bool
}

func (c *endsLater) Err() error {
	if c.ended.Load() {
		return context.Canceled
	}
	return nil
}

// A call of ServeOn whose server another call has shut down, because their context has ended, doesn't fail.
func TestServeOnIsToldLast(t *testing.T) {
	leaktest.Check(t)
	ctx := &endsLater{Context: context.Background()}
	l, url := listen(t)
	server := &http.Server{Handler: http.NotFoundHandler(), ReadHeaderTimeout: time.Second}
	served := make(chan error, 1)
	go func() { served <- httpx.ServeOn(ctx, l, server, time.Second) }()
	if answer, err := http.Get(url); err != nil {
		t.Fatal(err)
	} else {
		_ = answer.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	ctx.ended.Store(true)
	if err := server.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Errorf("failed with %v", err)
	}
}
