package redis

import (
	"context"
	"crypto/rand"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/futoin-go/asyncsteps/internal/cluster"
)

// calls receives the messages that call tokens of this process. A token is called when a place is kept for it. The guards of
// one [Guards] share one subscription, on a connection outside of the client's pool. The subscription is made when the first
// token waits, and ends some time after the last one has waited. If a call is lost with the connection, the process asks
// again after a pause at most, see places.pause.
type calls struct {
	client  goredis.UniversalClient
	process string // the name of the channel behind "asyncsteps:"
	last    atomic.Uint64

	mu      sync.Mutex
	waiting map[string]chan struct{} // by token; each has room for one call
	sub     *goredis.PubSub          // nil if nobody listens
	ready   chan struct{}            // closed when sub was confirmed, has failed, or takes too long
	unused  *time.Timer              // ends sub a while after the last token has waited
}

const unusedFor = time.Second

func newCalls(client goredis.UniversalClient) *calls {
	return &calls{client: client, process: rand.Text(), waiting: make(map[string]chan struct{})}
}

func (c *calls) token() string { return c.process + "/" + strconv.FormatUint(c.last.Add(1), 36) }

// expect listens for calls of token. It returns when the subscription was confirmed, has failed or takes too long, or when ctx
// ends. The caller calls forget when the token doesn't wait any more.
func (c *calls) expect(ctx context.Context, token string) (forget func()) {
	c.mu.Lock()
	c.waiting[token] = make(chan struct{}, 1)
	if c.unused != nil {
		c.unused.Stop()
		c.unused = nil
	}
	if c.sub == nil {
		c.listen()
	}
	ready := c.ready
	c.mu.Unlock()
	patience := time.NewTimer(longest)
	defer patience.Stop()
	select {
	case <-ready:
	case <-patience.C:
	case <-ctx.Done():
	}
	return func() { c.forget(token) }
}

// listen makes the subscription. The caller holds mu.
func (c *calls) listen() {
	sub := c.client.Subscribe(context.Background(), "asyncsteps:"+c.process)
	ready := make(chan struct{})
	c.sub, c.ready = sub, ready
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), cluster.Patience)
		_, _ = sub.Receive(ctx) // the confirmation; if it doesn't come, Channel connects again
		cancel()
		close(ready)
		for m := range sub.Channel() {
			c.call(m.Payload)
		}
	}()
}

func (c *calls) call(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case c.waiting[token] <- struct{}{}: // a nil channel, which is never chosen, if the token doesn't wait any more
	default:
	}
}

func (c *calls) forget(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, token)
	if len(c.waiting) == 0 {
		c.unused = time.AfterFunc(unusedFor, c.end)
	}
}

// end ends the subscription, unless a token waits again.
func (c *calls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 && c.sub != nil {
		_ = c.sub.Close()
		c.sub, c.unused = nil, nil
	}
}

func (c *calls) await(ctx context.Context, token string, d time.Duration) {
	c.mu.Lock()
	called := c.waiting[token]
	c.mu.Unlock()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-called:
	case <-t.C:
	case <-ctx.Done():
	}
}
