package redis_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"regexp"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/redis"
)

// loadScripts leaves the scripts at the server, which a client sends in full if they aren't there, and all places free.
func loadScripts(t *testing.T, client *goredis.Client) {
	t.Helper()
	if _, err := flow.Run(t.Context(), syncx.Sync(redis.New(client, time.Hour).Mutex("loads", 1, -1), pass), ""); err != nil {
		t.Fatal(err)
	}
	clustertest.Eventually(t, "the lock is gone", func() bool { return client.Exists(t.Context(), "{loads}:places:0").Val() == 0 })
}

// The first request of a flow reads the places up to the first one that is free, not all.
func TestFirstRequestReadsFewPlaces(t *testing.T) {
	client := serve(t).client()
	loadScripts(t, client)
	if err := client.Set(t.Context(), "{m}:places:0", "holder", time.Hour).Err(); err != nil {
		t.Fatal(err)
	}
	if err := client.ConfigResetStat(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	info := step.Await(func(ctx context.Context, _ string) (string, error) { return client.Info(ctx, "commandstats").Result() })
	stats, err := flow.Run(t.Context(), syncx.Sync(redis.New(client, time.Hour).Mutex("m", 1000, -1), info), "")
	if err != nil {
		t.Fatal(err)
	}
	if reads := regexp.MustCompile(`cmdstat_get:calls=\d+`).FindString(stats); reads != "cmdstat_get:calls=2" {
		t.Errorf("%q, want 2 calls", reads)
	}
}

// cut is a connection that is lost with an answer that gives a place if lose returns true.
type cut struct {
	net.Conn
	lose func() bool
	lost bool
}

func (c *cut) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.lost = c.lost || bytes.HasPrefix(b[:n], []byte("*2\r\n:")) && c.lose(); c.lost {
		_ = c.Close()
		return 0, io.EOF
	}
	return n, err
}

// A client may send a request again by itself, as it does by default. That is not the first request any more.
func TestAnswerToTakingOneOfSeveralIsLostInTheClient(t *testing.T) {
	s := serve(t)
	other := s.client()
	loadScripts(t, other)
	if err := other.Set(t.Context(), "{m}:places:0", "holder", time.Hour).Err(); err != nil {
		t.Fatal(err)
	}
	lost := false
	lose := func() bool {
		if lost {
			return false
		}
		lost = true
		other.Del(t.Context(), "{m}:places:0")
		return true
	}
	o := options(s.Address())
	o.MaxRetries = 1
	o.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return &cut{Conn: conn, lose: lose}, err
	}
	client := goredis.NewClient(o)
	t.Cleanup(func() { _ = client.Close() })
	count := step.Await(func(ctx context.Context, _ string) (int64, error) {
		return other.Exists(ctx, "{m}:places:0", "{m}:places:1").Result()
	})
	held, err := flow.Run(t.Context(), syncx.Sync(redis.New(client, time.Hour).Mutex("m", 2, -1), count), "")
	if held != 1 || !lost || err != nil {
		t.Errorf("%d places are held, an answer was lost: %v, %v", held, lost, err)
	}
}
