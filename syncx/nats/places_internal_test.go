package nats

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/internal/cluster"
)

// busyBucket has a place that is held by another flow each time.
type busyBucket struct {
	jetstream.KeyValue
	revision uint64
}

func (b *busyBucket) Create(context.Context, string, []byte, ...jetstream.KVCreateOpt) (uint64, error) {
	return 0, jetstream.ErrKeyExists
}

func (b *busyBucket) Get(context.Context, string) (jetstream.KeyValueEntry, error) {
	b.revision++
	return holder{revision: b.revision}, nil
}

type holder struct {
	jetstream.KeyValueEntry
	revision uint64
}

func (h holder) Revision() uint64 { return h.revision }

func (h holder) Value() []byte { return fmt.Appendf(nil, "other-1:%d/token", h.revision) }

// A process whose flows don't wait keeps the name of the last holder, not of all that it has met.
func TestRejectedFlowsForgetNames(t *testing.T) {
	p := newPlaces(newCalls(&busyBucket{}, time.Hour), "m", 1)
	for range 100 {
		ended := make(chan error)
		p.Acquire(t.Context(), false, func(_ cluster.Place, err error) { ended <- err })
		if err := <-ended; !errors.Is(err, cluster.ErrTaken) {
			t.Error(err)
		}
	}
	p.mu.Lock() // the last Acquire has ended
	defer p.mu.Unlock()
	if n := len(p.line.done); n != 1 {
		t.Errorf("%d names are kept, want 1", n)
	}
}
