package redis

import (
	"context"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/internal/cluster"
)

type place struct {
	places *places
	key    string
	token  string
	since  time.Duration
	fence  uint64

	mu sync.Mutex // held during a request
}

func (p *place) Fence() uint64 { return p.fence }

func (p *place) Since() time.Duration { return p.since }

func (p *place) Renew(ctx context.Context, done func(error)) {
	go func() {
		p.mu.Lock()
		ctx, cancel := context.WithTimeout(ctx, cluster.Patience)
		held, err := renew.Run(ctx, p.places.client, []string{p.key}, p.token, p.places.lease.Milliseconds()).Bool()
		cancel()
		p.mu.Unlock()
		if err == nil && !held {
			err = cluster.ErrLost
		}
		done(err)
	}()
}

// Release implements cluster.Place. It waits for a renewal that is under way. If the server can't be reached, the place
// becomes free at the end of the lease.
func (p *place) Release() {
	go func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), cluster.Patience)
		defer cancel()
		_ = p.places.release(ctx, p.token, []string{p.key})
	}()
}
