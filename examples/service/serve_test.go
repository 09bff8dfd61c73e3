package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// pipes is a net.Listener without a network, so that a whole server is in virtual time. Close ends Accept.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) do(t *testing.T, method, path string, body io.Reader) (int, string) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DialContext: p.dial, DisableKeepAlives: true}}
	r, err := http.NewRequestWithContext(t.Context(), method, "http://localhost"+path, body)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer func() { _ = answer.Body.Close() }() // the body has been read
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	return answer.StatusCode, strings.TrimSpace(string(text))
}

// testService is a service in a bubble of synctest.
type testService struct {
	clients, operators *pipes
	stop               context.CancelFunc
	ended              chan error // the result of serve
}

func start(t *testing.T, send func(context.Context, Order) error, backends ...backend) *testService {
	t.Helper()
	stop, cancel := context.WithCancel(t.Context())
	s := &testService{newPipes(), newPipes(), cancel, make(chan error, 1)}
	go func() {
		s.ended <- serve(stop, outside{s.clients, s.operators, backends, send, 20 * time.Second})
	}()
	return s
}

func sent(context.Context, Order) error { return nil }

func order(item string) io.Reader {
	return strings.NewReader(`{"item":"` + item + `","mail":"ann@here"}`)
}

func TestAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, sent, shelf)
		for _, tt := range []struct {
			body   io.Reader
			status int
			answer string
		}{
			{order("teapot"), 200, "costs 42"},
			{order("unicorn"), 404, "Not Found"},
			{strings.NewReader("tea, please"), 400, "no order"},
			{strings.NewReader(`{"item":"teapot","mail":"ann@here"} {"item":"another"}`), 400, "no order"},
			{strings.NewReader(`{"item":"teapot","mail":"ann@here"}}`), 400, "no order"},
			{strings.NewReader(`{"item":"teapot","mail":"ann@here\r\nBcc: all@there"}`), 400, "no order"},
			{strings.NewReader(`{"item":"teapot","mail":"Ann <ann@here>"}`), 400, "no order"},
			{strings.NewReader(`{"item":"teapot"}`), 400, "no order"},
			{strings.NewReader(`{"item":"teapot","mail":"ann@here"}` + "\r\n"), 200, "costs 42"},
		} {
			if status, answer := s.clients.do(t, http.MethodPost, "/orders", tt.body); status != tt.status || answer != tt.answer {
				t.Errorf("got %d %s, not %d %s", status, answer, tt.status, tt.answer)
			}
		}
		if _, counts := s.operators.do(t, http.MethodGet, "/metrics", http.NoBody); counts != `{"quote NotFound": 1, "quote ok": 2}` {
			t.Errorf("metrics: %s", counts)
		}
		if _, page := s.operators.do(t, http.MethodGet, "/debug/asyncsteps/index.json?attr=item=unicorn", http.NoBody); !strings.Contains(page, "NotFound") {
			t.Errorf("console: %s", page)
		}
		// A page with live updates is a request without an end: the shutdown ends it.
		live := make(chan int)
		go func() {
			status, _ := s.operators.do(t, http.MethodGet, "/debug/asyncsteps/live?of=guards", http.NoBody)
			live <- status
		}()
		synctest.Wait()
		s.stop()
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
		if status := <-live; status != http.StatusOK {
			t.Errorf("live updates: %d", status)
		}
	})
}

func TestStatus(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int
	}{
		{notFound, 404},
		{fault.DefenseRejected, 429},
		{errBackend, 502},
		{syncx.CircuitOpen, 503},
		{tool.ErrShutdown, 503},
		{fault.Timeout, 504},
		{errors.New("a defect"), 500},
	} {
		failing := step.Func(func(step.Scope, int) (int, error) { return 0, tt.err })
		_, err := flow.Run(t.Context(), failing, 0)
		if got := status(err); got != tt.want {
			t.Errorf("%v: %d, not %d", err, got, tt.want)
		}
	}
}

// A request that began before the shutdown is answered, though its body comes later, and its mail is sent. The
// console answers while the mail is on its way.
func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var posted Order
		s := start(t, func(ctx context.Context, o Order) error {
			pause := time.NewTimer(9 * time.Second)
			defer pause.Stop()
			select {
			case <-pause.C:
				posted = o
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}, shelf)
		began := time.Now()
		conn, err := s.clients.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }() // the service has closed it
		write(t, conn, "POST /orders HTTP/1.1\r\nHost: service\r\nContent-Length: 36\r\n\r\n")
		synctest.Wait() // until the handler waits for the body
		s.stop()
		time.Sleep(time.Second)
		write(t, conn, `{"item":"teapot","mail":"ann@here" }`)
		line, err := bufio.NewReader(conn).ReadString('\n')
		if line != "HTTP/1.1 200 OK\r\n" {
			t.Errorf("got %q, %v", line, err)
		}
		time.Sleep(time.Second)
		if status, _ := s.operators.do(t, http.MethodGet, "/debug/asyncsteps/", http.NoBody); status != http.StatusOK {
			t.Errorf("the console, while the mail is on its way: %d", status)
		}
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
		if took := time.Since(began); posted.Price != 42 || took < 10*time.Second || took > 11*time.Second {
			t.Errorf("mail for %+v after %v", posted, took)
		}
	})
}

// When the time for a shutdown is over, the rest is cancelled.
func TestShutdownCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, func(ctx context.Context, _ Order) error {
			<-ctx.Done() // for ever, unless it is cancelled
			return ctx.Err()
		}, shelf)
		if status, answer := s.clients.do(t, http.MethodPost, "/orders", order("teapot")); status != http.StatusOK {
			t.Errorf("got %d %s", status, answer)
		}
		began := time.Now()
		s.stop()
		err := <-s.ended
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != 20*time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}

func write(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}
