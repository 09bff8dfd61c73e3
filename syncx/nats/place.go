package nats

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/internal/cluster"
)

// place is a key that this process has written. Its fence is the revision of that write: revisions of a bucket rise,
// whichever process writes which key.
type place struct {
	kv    jetstream.KeyValue
	key   string
	token string
	since time.Duration
	fence uint64

	mu       sync.Mutex // held during a request
	revision uint64     // the revision of the last write
}

// Fence implements cluster.Place.
func (p *place) Fence() uint64 { return p.fence }

// Since implements cluster.Place.
func (p *place) Since() time.Duration { return p.since }

// Renew implements cluster.Place: it writes the key again.
func (p *place) Renew(ctx context.Context, done func(error)) {
	go func() {
		p.mu.Lock()
		ctx, cancel := context.WithTimeout(ctx, cluster.Patience)
		err := p.renew(ctx)
		cancel()
		p.mu.Unlock()
		done(err)
	}()
}

func (p *place) renew(ctx context.Context) error {
	revision, err := p.kv.Update(ctx, p.key, []byte(p.token), p.revision)
	if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		if err = p.look(ctx); err == nil { // the answer to an earlier renewal was lost
			revision, err = p.kv.Update(ctx, p.key, []byte(p.token), p.revision)
		}
	}
	if err == nil {
		p.revision = revision
	}
	return err
}

// look finds out which revision of the key is this place's.
func (p *place) look(ctx context.Context) error {
	e, err := p.kv.Get(ctx, p.key)
	switch {
	case absent(err) || err == nil && string(e.Value()) != p.token:
		return cluster.ErrLost
	case err == nil:
		p.revision = e.Revision()
	}
	return err
}

// Release implements cluster.Place: it deletes the key, after a renewal that is under way.
// If the server can't be reached the lease passes.
func (p *place) Release() {
	go func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), cluster.Patience)
		defer cancel()
		err := p.kv.Delete(ctx, p.key, jetstream.LastRevision(p.revision))
		if errors.Is(err, jetstream.ErrKeyRevisionMismatch) && p.look(ctx) == nil {
			_ = p.kv.Delete(ctx, p.key, jetstream.LastRevision(p.revision))
		}
	}()
}
