package nats_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/nats"
)

// timelessBucket is one of a server that doesn't tell its time.
type timelessBucket struct{ jetstream.KeyValue }

func (b timelessBucket) Status(ctx context.Context) (jetstream.KeyValueStatus, error) {
	s, err := b.KeyValue.Status(ctx)
	if b, ok := s.(*jetstream.KeyValueBucketStatus); ok {
		b.StreamInfo().TimeStamp = time.Time{}
	}
	return s, err
}

// A throttle of a server that doesn't tell its time fails, and doesn't ask again and again. Only the first window needs no time.
func TestServerWithoutTime(t *testing.T) {
	_, kv := serve(t).bucket()
	in := syncx.Sync(nats.New(timelessBucket{kv}, time.Minute).Throttle("t", 2, time.Hour, -1), pass)
	if _, err := flow.Run(t.Context(), in, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := flow.Run(t.Context(), flow.Timeout(time.Minute, in), ""); err == nil || !strings.Contains(err.Error(), "doesn't tell its time") {
		t.Errorf("ended with %v", err)
	}
}
