package bench

import (
	"context"
	"crypto/tls"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"

	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/syncx/redis"
)

// BenchmarkHandoffs measures a mutex for which processes wait, and a lock of rueidislock, which has no fence and no order.
func BenchmarkHandoffs(b *testing.B) {
	b.Run("col=asyncsteps", func(b *testing.B) { clustertest.Handoffs(b, ours) })
	b.Run("col=rueidislock", func(b *testing.B) { clustertest.Handoffs(b, theirs) })
}

func ours(tb testing.TB) func() clustertest.Enter {
	tb.Helper()
	address := serve(tb)
	return func() clustertest.Enter {
		client := connect(tb, address)
		return clustertest.Entering(redis.New(client, 10*time.Second).Mutex("m", 1, -1))
	}
}

func theirs(tb testing.TB) func() clustertest.Enter {
	tb.Helper()
	address := serve(tb)
	return func() clustertest.Enter {
		dial := func(ctx context.Context, address string, d *net.Dialer, _ *tls.Config) (net.Conn, error) {
			return d.DialContext(ctx, "unix", address)
		}
		locker, err := rueidislock.NewLocker(rueidislock.LockerOption{
			NoLoopTracking: true, KeyValidity: 10 * time.Second,
			ClientOption: rueidis.ClientOption{InitAddress: []string{address}, DialCtxFn: dial},
		})
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(locker.Close)
		return func(ctx context.Context, inside func()) error {
			_, release, err := locker.WithContext(ctx, "m")
			if err == nil {
				inside()
				release()
			}
			return err
		}
	}
}

func connect(tb testing.TB, address string) *goredis.Client {
	tb.Helper()
	client := goredis.NewClient(&goredis.Options{Network: "unix", Addr: address})
	tb.Cleanup(func() { _ = client.Close() })
	return client
}

// serve starts a redis-server that is as durable as the fences need, and returns its socket.
func serve(tb testing.TB) (address string) {
	tb.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		tb.Skip("there is no redis-server in PATH; .ci/redis installs it on Debian")
	}
	dir, err := os.MkdirTemp("", "redis") //nolint:usetesting // the directory of the test may be too long for the path of a socket
	if err != nil {
		tb.Fatal(err)
	}
	address = filepath.Join(dir, "socket")
	server := exec.Command("redis-server", "--port", "0", "--unixsocket", address, "--dir", dir, //nolint:noctx // Cleanup ends the process
		"--save", "", "--appendonly", "yes", "--appendfsync", "always", "--loglevel", "warning")
	if err := server.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		_ = os.RemoveAll(dir)
	})
	client := connect(tb, address)
	clustertest.Eventually(tb, "the server answers", func() bool { return client.Ping(context.Background()).Err() == nil })
	return address
}
