package redis_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/redis"
)

// line is a section that several processes wait for.
type line struct {
	t      *testing.T
	server *server
	let    chan struct{} // closed to let the first one go

	mu    sync.Mutex
	order []string
}

// join enters the section by a process of its own, and returns when the server has queued it as number n.
func (l *line) join(ctx context.Context, name string, n int) (ended chan error) {
	l.t.Helper()
	client := l.server.client()
	section := step.Await(func(_ context.Context, name string) (string, error) {
		l.mu.Lock()
		l.order = append(l.order, name)
		l.mu.Unlock()
		if name == "first" {
			<-l.let
		}
		return name, nil
	})
	ended = make(chan error, 1)
	go func() {
		_, err := flow.Run(ctx, syncx.Sync(redis.New(client, time.Hour).Mutex("m", 1, -1), section), name)
		ended <- err
	}()
	if n < 0 {
		clustertest.Eventually(l.t, "the place is taken", func() bool { return client.Exists(context.Background(), "{m}:places:0").Val() == 1 })
		return ended
	}
	l.queues(client, n)
	return ended
}

func (l *line) queues(client *goredis.Client, n int) {
	l.t.Helper()
	clustertest.Eventually(l.t, "the token is queued", func() bool { return client.ZCard(context.Background(), "{m}:queue").Val() == int64(n) })
}

func newLine(t *testing.T) *line { return &line{t: t, server: serve(t), let: make(chan struct{})} }

func (l *line) ends(all ...chan error) {
	l.t.Helper()
	close(l.let)
	for i, ended := range all {
		if err := <-ended; err != nil {
			l.t.Errorf("process %d: %v", i, err)
		}
	}
}

// Processes enter in the order in which they came, and one that has gone away is left out.
func TestOrderOfProcesses(t *testing.T) {
	l := newLine(t)
	all := []chan error{l.join(t.Context(), "first", -1)}
	ctx, cancel := context.WithCancel(t.Context())
	want := []string{"first"}
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		in := t.Context()
		if name == "c" {
			in = ctx
		} else {
			want = append(want, name)
		}
		ended := l.join(in, name, i+1)
		if name != "c" {
			all = append(all, ended)
			continue
		}
		defer func() {
			if err := <-ended; fault.CodeOf(err) != fault.Cancelled {
				t.Errorf("c has ended with %v", err)
			}
		}()
	}
	cancel()
	l.queues(l.server.client(), 4)
	l.ends(all...)
	if !slices.Equal(l.order, want) {
		t.Errorf("the order is %v, want %v", l.order, want)
	}
}

// A place that is kept for a process that has died goes to the next one that asks.
func TestTheFirstOfTheQueueIsDead(t *testing.T) {
	l := newLine(t)
	client := l.server.client()
	for _, token := range []string{"dead/1", "dead/2"} {
		if err := client.ZAdd(t.Context(), "{m}:queue", goredis.Z{Member: token}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	l.ends(l.join(t.Context(), "first", -1), l.join(t.Context(), "a", 3), l.join(t.Context(), "b", 4))
	clustertest.Eventually(t, "the queue is empty and the place free", func() bool {
		return client.Exists(t.Context(), "{m}:queue", "{m}:places:0").Val() == 0
	})
}

// A server that allows no calls is asked again by those who wait.
func TestCallsAreForbidden(t *testing.T) {
	l := newLine(t)
	if err := l.server.client().Do(t.Context(), "ACL", "SETUSER", "default", "resetchannels").Err(); err != nil {
		t.Fatal(err)
	}
	l.ends(l.join(t.Context(), "first", -1), l.join(t.Context(), "a", 1), l.join(t.Context(), "b", 2))
	if len(l.order) != 3 {
		t.Errorf("the order is %v", l.order)
	}
}
