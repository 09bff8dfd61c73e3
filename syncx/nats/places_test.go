package nats_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/nats"
)

// impatientBucket answers only the first request that is made with the same patience.
type impatientBucket struct {
	jetstream.KeyValue
	mu   sync.Mutex
	last time.Time
}

func (i *impatientBucket) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	end, _ := ctx.Deadline()
	if strings.HasPrefix(key, "m.places.") && end.Equal(i.last) {
		return nil, context.DeadlineExceeded
	}
	i.last = end
	return i.KeyValue.Get(ctx, key)
}

// A flow that waits looks at all places, however long that takes together.
func TestManyPlaces(t *testing.T) {
	_, kv := serve(t).bucket()
	for i := range 3 {
		if _, err := kv.PutString(t.Context(), fmt.Sprint("m.places.", i), "holder"); err != nil {
			t.Fatal(err)
		}
	}
	mutex := nats.New(&impatientBucket{KeyValue: kv}, 200*time.Millisecond).Mutex("m", 3, -1)
	if _, err := flow.Run(t.Context(), flow.Timeout(10*time.Second, syncx.Sync(mutex, pass)), ""); err != nil {
		t.Error(err)
	}
}
