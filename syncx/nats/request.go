package nats

import (
	"errors"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// hopeless reports whether asking again makes no sense, unlike after a lost connection, a restart or an election.
func hopeless(err error) bool {
	return errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrConnectionDraining) ||
		errors.Is(err, jetstream.ErrInvalidKey) || errors.Is(err, nats.ErrMaxPayload) || errors.Is(err, nats.ErrAuthorization) ||
		errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) || errors.Is(err, errNoTime)
}

func absent(err error) bool { return errors.Is(err, jetstream.ErrKeyNotFound) }
