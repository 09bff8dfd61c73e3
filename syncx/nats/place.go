package nats

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/internal/cluster"
)

// place is a key that this process has written. Its fence is the revision of that write.
type place struct {
	line   *line
	number int
	token  string
	since  time.Duration
	fence  uint64
	waited bool // the flow has waited for the place, so others may wait as well

	mu       sync.Mutex // held during a request
	revision uint64     // the revision of the last write
	unsure   bool       // the last renewal has failed, so the key may have a later revision
}

func (p *place) Fence() uint64 { return p.fence }

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
	revision, err := p.update(ctx)
	if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		if err = p.look(ctx); err == nil { // the answer to an earlier renewal was lost
			revision, err = p.update(ctx)
		}
	}
	if p.unsure = err != nil; err == nil {
		p.revision = revision
	}
	return err
}

func (p *place) update(ctx context.Context) (revision uint64, err error) {
	return p.line.kv.Update(ctx, p.line.place(p.number), []byte(p.token), p.revision)
}

// look reads the revision of the key. It returns ErrLost if the key is gone, or has another value than the token of p.
func (p *place) look(ctx context.Context) error {
	e, err := p.line.kv.Get(ctx, p.line.place(p.number))
	switch {
	case absent(err) || err == nil && string(e.Value()) != p.token:
		return cluster.ErrLost
	case err == nil:
		p.revision = e.Revision()
	}
	return err
}

// Release implements cluster.Place. It waits for a renewal that is under way. The first flow that waits gets the place; if
// none waits, the key is deleted. If the server can't be reached, the place becomes free at the end of the lease.
func (p *place) Release() {
	go func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.unsure && within(p.look) != nil {
			return
		}
		if p.waited {
			p.line.handOver(p.number, p.revision)
		} else {
			p.line.letGo(p.number, p.revision)
		}
	}()
}
