package redis_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/syncx/redis"
)

const ms = time.Millisecond

// TestMain is a worker's main function, too: of a process that a test has started.
func TestMain(m *testing.M) {
	if clustertest.IsWorker() {
		clustertest.Work(dial())
		return
	}
	os.Exit(m.Run())
}

// server is a redis-server of a test, which listens on a socket in a folder: no port can be
// taken by somebody else. It ends with the test.
type server struct {
	t   testing.TB
	dir string
	cmd *exec.Cmd
}

func serve(t testing.TB) *server {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip("there is no redis-server in PATH; .ci/redis installs it on Debian")
	}
	dir, err := os.MkdirTemp("", "redis") //nolint:usetesting // that folder's path may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, dir: dir}
	t.Cleanup(func() {
		s.stop()
		_ = os.RemoveAll(dir)
	})
	s.start()
	return s
}

func (s *server) address() string { return filepath.Join(s.dir, "socket") }

func (s *server) start() {
	s.t.Helper()
	s.cmd = exec.Command("redis-server", "--port", "0", "--unixsocket", s.address(), "--dir", s.dir, //nolint:noctx // Cleanup ends it
		"--save", "", "--appendonly", "yes", "--appendfsync", "always", "--loglevel", "warning")
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	client := s.connect()
	eventually(s.t, "the server answers", func() bool { return client.Ping(context.Background()).Err() == nil })
}

func (s *server) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func (s *server) connect() *goredis.Client {
	client := goredis.NewClient(options(s.address()))
	s.t.Cleanup(func() { _ = client.Close() })
	return client
}

func options(address string) *goredis.Options {
	return &goredis.Options{Network: "unix", Addr: address, MaxRetries: -1, DialTimeout: time.Second}
}

// process is what one process has: a connection, and guards.
type process struct {
	client *goredis.Client
	guards *redis.Guards
}

func newProcess(t testing.TB, s *server, lease time.Duration) *process {
	t.Helper()
	client := s.connect()
	return &process{client, redis.New(client, lease)}
}

// within fails the test if nothing comes in a minute: no test waits for ever.
func within[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(time.Minute):
		t.Fatal("nothing in a minute")
		panic("unreachable")
	}
}

// eventually waits until cond holds.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !cond(); time.Sleep(ms) {
		if time.Now().After(end) {
			t.Fatal("not in a minute: " + what)
		}
	}
}
