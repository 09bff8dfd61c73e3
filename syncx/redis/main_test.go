package redis_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/syncx/redis"
)

func TestMain(m *testing.M) {
	clustertest.Main(m, func(address string, lease time.Duration) (clustertest.Guards, error) {
		return clustertest.Of(redis.New(goredis.NewClient(options(address)), lease)), nil
	})
}

func TestGuards(t *testing.T) {
	clustertest.Test(t, func(t testing.TB) clustertest.Server { return serve(t) })
}

// server is a redis-server on a socket in a directory, because another process could take a port.
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
	dir, err := os.MkdirTemp("", "redis") //nolint:usetesting // the directory of the test may be too long for the path of a socket
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, dir: dir}
	t.Cleanup(func() {
		s.Stop()
		_ = os.RemoveAll(dir)
	})
	s.Start()
	return s
}

func (s *server) Address() string { return filepath.Join(s.dir, "socket") }

func (s *server) Start() {
	s.t.Helper()
	s.cmd = exec.Command("redis-server", "--port", "0", "--unixsocket", s.Address(), "--dir", s.dir, //nolint:noctx // Cleanup ends the process
		"--save", "", "--appendonly", "yes", "--appendfsync", "always", "--loglevel", "warning")
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	client := s.client()
	clustertest.Eventually(s.t, "the server answers", func() bool { return client.Ping(context.Background()).Err() == nil })
}

func (s *server) Stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func (s *server) client() *goredis.Client {
	client := goredis.NewClient(options(s.Address()))
	s.t.Cleanup(func() { _ = client.Close() })
	return client
}

func options(address string) *goredis.Options {
	return &goredis.Options{Network: "unix", Addr: address, MaxRetries: -1, DialTimeout: time.Second}
}

func (s *server) Connect(lease time.Duration) clustertest.Process {
	client := s.client()
	first := func(name string) string { return "{" + name + "}:places:0" }
	return clustertest.Process{
		Guards: clustertest.Of(redis.New(client, lease)),
		Close:  func() { _ = client.Close() },
		Owner: func(name string) (string, error) {
			owner, err := client.Get(context.Background(), first(name)).Result()
			if errors.Is(err, goredis.Nil) {
				err = nil
			}
			return owner, err
		},
		Steal: func(name, by string) error { return client.Set(context.Background(), first(name), by, 0).Err() },
		Waiting: func(name string) (int, error) {
			n, err := client.ZCard(context.Background(), "{"+name+"}:queue").Result()
			return int(n), err
		},
		Ghosts: func(name string, n int) error {
			for i := range n {
				token := goredis.Z{Member: "dead/" + strconv.Itoa(i)}
				if err := client.ZAdd(context.Background(), "{"+name+"}:queue", token).Err(); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
