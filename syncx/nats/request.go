package nats

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// patience is how long one request waits for its answer, and pause how long the next one
// waits after a failure.
const (
	patience = 2 * time.Second
	pause    = 20 * time.Millisecond
)

// hopeless reports whether asking again makes no sense. It is false for every error that a lost connection, a restart
// or an election may cause.
func hopeless(err error) bool {
	return errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrConnectionDraining) ||
		errors.Is(err, jetstream.ErrInvalidKey) || errors.Is(err, nats.ErrMaxPayload) || errors.Is(err, nats.ErrAuthorization) ||
		errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount)
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// absent reports whether err says that the key has no value.
func absent(err error) bool { return errors.Is(err, jetstream.ErrKeyNotFound) }
