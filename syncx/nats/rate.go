package nats

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/internal/cluster"
)

// rate is a key of the bucket whose value holds when the window was opened, by the server's clock, and how many entries were
// made in it.
type rate struct {
	kv      jetstream.KeyValue
	key     string
	maximum int
	period  time.Duration

	mu     sync.Mutex // held during a Take
	offset time.Duration
	asked  time.Duration // when offset was measured; 0 if it wasn't yet
}

func newRate(kv jetstream.KeyValue, name string, maximum int, period time.Duration) *rate {
	return &rate{kv: kv, key: name + ".rate", maximum: maximum, period: period}
}

func (r *rate) Take(ctx context.Context, n int, done func(got int, after time.Duration, err error)) {
	go func() {
		r.mu.Lock()
		got, after, err := r.take(ctx, n)
		r.mu.Unlock()
		done(got, after, err)
	}()
}

func (r *rate) take(ctx context.Context, n int) (got int, after time.Duration, err error) {
	for {
		got, after, err = r.try(ctx, n)
		switch {
		case err == nil || hopeless(err):
			return got, after, err
		case ctx.Err() != nil:
			return 0, 0, ctx.Err()
		case errors.Is(err, jetstream.ErrKeyRevisionMismatch) || errors.Is(err, jetstream.ErrKeyExists): // another process was faster
		default:
			cluster.Sleep(ctx, cluster.Pause)
		}
	}
}

// window is the value of the key. opened is 0 in the write that opens a window: then the window begins at the server's time
// of that write.
type window struct {
	opened int64 // Unix nanoseconds
	used   int
}

func (w window) bytes() []byte { return fmt.Appendf(nil, "%d %d", w.opened, w.used) }

func (r *rate) try(ctx context.Context, n int) (got int, after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, cluster.Patience)
	defer cancel()
	e, err := r.kv.Get(ctx, r.key)
	if absent(err) {
		got = min(n, r.maximum)
		_, err = r.kv.Create(ctx, r.key, window{0, got}.bytes())
		return got, 0, err
	}
	if err != nil {
		return 0, 0, err
	}
	var w window
	if _, err := fmt.Sscanf(string(e.Value()), "%d %d", &w.opened, &w.used); err != nil {
		w = window{e.Created().UnixNano(), r.maximum} // not written by this package: let a window pass
	}
	if w.opened == 0 {
		w.opened = e.Created().UnixNano()
	}
	now, err := r.now(ctx)
	if err != nil {
		return 0, 0, err
	}
	left := time.Duration(w.opened) + r.period - now
	switch {
	case left <= 0:
		w = window{}
	case w.used >= r.maximum:
		return 0, min(left, r.period), nil // left is more than a period if the server's clock was set back
	}
	got = min(n, r.maximum-w.used)
	w.used += got
	_, err = r.kv.Update(ctx, r.key, w.bytes(), e.Revision())
	return got, 0, err
}

// now returns a time that the server's clock has already reached, in Unix nanoseconds. An answer of the server serves for a
// minute. It takes a while to arrive, so the time isn't ahead of the server's clock, unless that clock is set back or goes
// slower than ours.
func (r *rate) now(ctx context.Context) (time.Duration, error) {
	local := clock.Now()
	if r.asked == 0 || local-r.asked > time.Minute {
		at, err := r.server(ctx)
		if err != nil {
			return 0, err
		}
		local = clock.Now()
		r.offset, r.asked = time.Duration(at)-local, local
	}
	return r.offset + local, nil
}

var errNoTime = errors.New("the server doesn't tell its time")

func (r *rate) server(ctx context.Context) (int64, error) {
	s, err := r.kv.Status(ctx)
	if err != nil {
		return 0, err
	}
	b, ok := s.(*jetstream.KeyValueBucketStatus)
	if !ok || b.StreamInfo().TimeStamp.IsZero() {
		return 0, errNoTime
	}
	return b.StreamInfo().TimeStamp.UnixNano(), nil
}
