package temporal_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/futoin-go/asyncsteps/durable/temporal"
)

var quiet = log.NewStructuredLogger(slog.New(slog.DiscardHandler))

type server struct {
	t       testing.TB
	program string
	db      string
	port    int
	with    []string // more arguments
	process *exec.Cmd
}

// program returns the path of the server, which is on the PATH or was built by .ci/temporal; "" if there is none.
func program() string {
	if path, err := exec.LookPath("temporal"); err == nil {
		return path
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	path := filepath.Join(cache, "asyncsteps-tools", "temporal")
	if _, err = os.Stat(path); err != nil {
		return ""
	}
	return path
}

func serve(t testing.TB, with ...string) *server {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped: a server takes seconds")
	}
	s := &server{t: t, program: program(), db: filepath.Join(t.TempDir(), "temporal.db"), port: freePort(t), with: with}
	if s.program == "" {
		t.Skip("skipped: no server: .ci/temporal builds one")
	}
	s.start()
	t.Cleanup(s.kill)
	return s
}

func freePort(t testing.TB) int {
	t.Helper()
	var listen net.ListenConfig
	l, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	addr, _ := l.Addr().(*net.TCPAddr)
	return addr.Port
}

func (s *server) start() {
	s.t.Helper()
	args := append([]string{
		"server", "start-dev", "--headless", "--log-level", "never",
		"--port", fmt.Sprint(s.port), "--ui-port", fmt.Sprint(freePort(s.t)), "--http-port", fmt.Sprint(freePort(s.t)),
		"--metrics-port", fmt.Sprint(freePort(s.t)), "--db-filename", s.db,
	}, s.with...)
	s.process = exec.Command(s.program, args...) //nolint:noctx // the test kills it
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

func (s *server) addr() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }

func dial(ctx context.Context, addr string) (client.Client, error) {
	return dialWith(ctx, addr, client.Options{})
}

func dialWith(ctx context.Context, addr string, options client.Options) (client.Client, error) {
	options.HostPort, options.Logger = addr, quiet
	for {
		c, err := client.DialContext(ctx, options)
		if err == nil || ctx.Err() != nil {
			return c, err
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func (s *server) client() client.Client {
	s.t.Helper()
	return s.clientWith(client.Options{})
}

func (s *server) clientWith(options client.Options) client.Client {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	c, err := dialWith(ctx, s.addr(), options)
	if err != nil {
		s.t.Fatalf("the server doesn't answer: %v", err)
	}
	s.t.Cleanup(c.Close)
	return c
}

// work starts a worker in this process for the queue, which executes what registers register.
func work(t *testing.T, c client.Client, queue string, registers ...func(temporal.Registry) error) {
	t.Helper()
	workUntil(t, c, queue, registers...)
}

// workUntil does the same as work. stop stops the worker before the end of the test.
func workUntil(t *testing.T, c client.Client, queue string, registers ...func(temporal.Registry) error) (stop func()) {
	t.Helper()
	w := worker.New(c, queue, worker.Options{})
	for _, register := range registers {
		if err := register(w); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(w.Stop)
	t.Cleanup(stop)
	return stop
}
