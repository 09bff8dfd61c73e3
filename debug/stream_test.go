package debug_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

type pipe struct {
	*io.PipeWriter

	header http.Header
	status chan int
}

func (p pipe) Header() http.Header    { return p.header }
func (p pipe) WriteHeader(status int) { p.status <- status }
func (pipe) Flush()                   {}

type client struct {
	status int
	lines  *bufio.Scanner
	leave  context.CancelFunc
	left   chan step.Unit
}

func connect(t *testing.T, h http.Handler, of string) *client {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	from, to := io.Pipe()
	w := pipe{to, make(http.Header), make(chan int, 1)}
	c := &client{lines: bufio.NewScanner(from), leave: cancel, left: make(chan step.Unit)}
	c.lines.Buffer(nil, 1<<20)
	go func() {
		h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/live?of="+of, http.NoBody))
		to.Close()
		close(c.left)
	}()
	c.status = <-w.status
	return c
}

// next returns the page in the next event, or the comment or the kind of another event.
func (c *client) next() string {
	for c.lines.Scan() {
		line := c.lines.Text()
		data, found := strings.CutPrefix(line, "data: ")
		var page string
		switch {
		case !found && line != "":
			return line
		case found && json.Unmarshal([]byte(data), &page) == nil:
			return page
		}
	}
	return "end"
}

func TestLiveUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := debug.New(debug.Options{Hosts: hosts})
		loop := tool.Start(tool.Options{})
		c := connect(t, h, "index")
		if first := c.next(); c.status != http.StatusOK || !strings.Contains(first, "No run is live.") {
			t.Fatalf("first: %d %s", c.status, first)
		}
		if got := c.next(); got != ": nothing new" {
			t.Errorf("then %s", got)
		}
		run := flow.Start(observe.With(t.Context(), h), loop, flow.Named("arrived", plantest.Delay("wait", time.Hour)), step.Unit{})
		began := time.Now()
		if got := c.next(); !strings.Contains(got, "arrived") || time.Since(began) > time.Second {
			t.Errorf("after %v %s", time.Since(began), got)
		}
		c.leave()
		<-c.left
		run.Cancel(nil)
		if err := loop.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestClientsShareTheWork(t *testing.T) {
	leaktest.Check(t)
	synctest.Test(t, func(t *testing.T) {
		h := debug.New(debug.Options{Hosts: hosts, Clients: 50})
		const seconds = 10
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				<-time.After(time.Duration(i) * time.Millisecond)
				c := connect(t, h, [...]string{"index", "guards&x=1"}[i%2])
				for range seconds {
					c.next()
				}
				c.leave()
				for c.next() != "end" {
				}
				<-c.left
			})
		}
		all.Wait()
		if made := debug.PagesMade(h); made < 2*seconds || made > 2*(seconds+2) {
			t.Errorf("%d pages were made for two pages and %d seconds", made, seconds)
		}
	})
}

func TestTooManyClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := debug.New(debug.Options{Hosts: hosts, Clients: 1})
		c := connect(t, h, "index")
		if second := connect(t, h, "index"); second.status != http.StatusServiceUnavailable {
			t.Errorf("the second client got %d", second.status)
			second.leave()
		} else {
			second.next()
			<-second.left
		}
		c.leave()
		for c.next() != "end" {
		}
		<-c.left
		c = connect(t, h, "index")
		if c.status != http.StatusOK {
			t.Errorf("when there is room again: %d", c.status)
		}
		h.Close()
		for c.next() != "end" {
		}
		<-c.left // closed by Close
		if w := get(t, h, "/index"); w.Code != http.StatusOK {
			t.Errorf("after Close a page gives %d", w.Code)
		}
	})
}

func TestLiveUpdatesOfRunThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := debug.New(debug.Options{Hosts: hosts, Ended: 1})
		ctx := observe.With(t.Context(), h)
		run := func() {
			if _, err := flow.Run(ctx, flow.Of(plantest.Named("", nil)), step.Unit{}); err != nil {
				t.Error(err)
			}
		}
		run() // it stays as the sample of those that are dropped
		run()
		c := connect(t, h, fmt.Sprintf("run&id=%d", endedRun(t, h)))
		if got := c.next(); !strings.Contains(got, "<h1>Run ") {
			t.Errorf("first %s", got)
		}
		run()
		for got := c.next(); got != "event: gone"; got = c.next() {
			if got == "end" {
				t.Fatal("the updates ended without a word")
			}
		}
		c.leave()
		for c.next() != "end" {
		}
		<-c.left
		for of, status := range map[string]int{"nothing": 404, "run&id=x": 400, "run&id=0": 404, "index&age=x": 400} {
			if w := get(t, h, "/live?of="+of); w.Code != status {
				t.Errorf("%s: %d, want %d", of, w.Code, status)
			}
		}
	})
}

func endedRun(t *testing.T, h http.Handler) uint64 {
	t.Helper()
	var v shown
	if err := json.Unmarshal(get(t, h, "/index.json").Body.Bytes(), &v); err != nil { //nolint:musttag // the names are the same without their case
		t.Fatal(err)
	}
	return v.Ended[0].ID
}

// pipes is a listener whose connections have no buffer: a write blocks until the other side reads.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, open := <-p; open {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error { close(p); return nil }

func (pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "pipe"} }

// open asks for live updates and reads the first line of the response.
func (p pipes) open(t *testing.T) (int, net.Conn) {
	t.Helper()
	here, there := net.Pipe()
	p <- there
	if _, err := io.WriteString(here, "GET /live?of=index HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReaderSize(here, 16).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var status int
	if _, err := fmt.Sscanf(line, "HTTP/1.1 %d", &status); err != nil {
		t.Fatalf("%v in %q", err, line)
	}
	return status, here
}

// A client that stops reading loses its place.
func TestClientThatStopsReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := debug.New(debug.Options{Hosts: hosts, Clients: 1})
		listener := make(pipes)
		server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
		served := make(chan error)
		go func() { served <- server.Serve(listener) }()
		if status, _ := listener.open(t); status != http.StatusOK {
			t.Fatalf("the first client got %d", status)
		}
		if status, _ := listener.open(t); status != http.StatusServiceUnavailable {
			t.Errorf("while the first client may still be slow: %d", status)
		}
		time.Sleep(15 * time.Second)
		status, reading := listener.open(t)
		if status != http.StatusOK {
			t.Errorf("long after the first client has stopped reading: %d", status)
		}
		stays := make(chan error)
		go func() { _, err := io.Copy(io.Discard, reading); stays <- err }()
		select {
		case err := <-stays:
			t.Errorf("a client that reads was cut off: %v", err)
		case <-time.After(time.Minute):
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-stays
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
}

// Events come while the response goes on, Shutdown doesn't wait for live updates, and no goroutine stays.
func TestLiveUpdatesOverHTTP(t *testing.T) {
	leaktest.Check(t)
	h := debug.New(debug.Options{Hosts: hosts})
	server := httptest.NewUnstartedServer(h)
	server.Config.WriteTimeout = 10 * time.Millisecond // live updates take longer than this
	server.Config.RegisterOnShutdown(h.Close)
	server.Start()
	open := func(ctx context.Context) *bufio.Scanner {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/live?of=index", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		if got := resp.Header.Get("Content-Type"); got != "text/event-stream; charset=utf-8" {
			t.Errorf("the type is %s", got)
		}
		return bufio.NewScanner(resp.Body)
	}
	ctx, leave := context.WithCancel(t.Context())
	first, second := open(ctx), open(t.Context())
	for _, s := range []*bufio.Scanner{first, second} {
		s.Buffer(nil, 1<<20)
		for n := 0; n < 2 && s.Scan(); {
			if s.Text() != "" {
				n++ // a message is one line
			}
		}
	}
	leave()
	if err := server.Config.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	for second.Scan() {
	}
	server.Close()
}
