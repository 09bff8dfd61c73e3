package redis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/futoin-go/asyncsteps/internal/cluster"
)

// places are keys "{name}:places:0", "{name}:places:1", … scripts.go describes their values. The braces keep the keys of a
// name on one node of a Redis Cluster.
type places struct {
	client goredis.UniversalClient
	calls  *calls
	fence  string
	queue  string
	keys   []string
	lease  time.Duration

	mu sync.Mutex // held during an Acquire
}

func newPlaces(client goredis.UniversalClient, calls *calls, name string, n int, lease time.Duration) *places {
	key := func(what string) string { return "{" + name + "}:" + what }
	p := &places{
		client: client, calls: calls, lease: lease,
		fence: key("fence"), queue: key("queue"), keys: make([]string, n),
	}
	for i := range p.keys {
		p.keys[i] = key("places:" + strconv.Itoa(i))
	}
	return p
}

// longest bounds the time between two attempts to find a free place, for a process that isn't called, and the wait for a
// subscription.
const longest = 100 * time.Millisecond

// pause is how long a place is kept for a process that was called, and bounds the time between two attempts.
func (p *places) pause() time.Duration { return min(longest, p.lease/10) }

func (p *places) Acquire(ctx context.Context, wait bool, done func(cluster.Place, error)) {
	go func() {
		p.mu.Lock()
		got, err := p.acquire(ctx, wait)
		p.mu.Unlock()
		if err != nil {
			done(nil, err) // without a *place, because a nil one in an interface isn't nil
			return
		}
		done(got, nil)
	}()
}

func (p *places) acquire(ctx context.Context, wait bool) (*place, error) {
	token, before := p.calls.token(), new(asked)
	queued := false
	defer func() {
		if queued {
			p.giveUp(token)
		}
	}()
	if wait {
		defer p.calls.expect(ctx, token)()
	}
	for {
		queued = true // also true if the answer is lost
		got, err := p.try(ctx, token, wait, before)
		switch {
		case err == nil:
			queued = false
			return got, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case hopeless(err):
			return nil, err
		case !errors.Is(err, cluster.ErrTaken):
			cluster.Sleep(ctx, cluster.Pause)
		case !wait:
			queued = false
			return nil, err
		default:
			p.calls.await(ctx, token, p.pause()/2+rand.N(p.pause()/2))
		}
	}
}

// asked is an argument of the script acquire: whether the token may have asked before. The client encodes the argument for each
// request that it sends, also for one that it repeats by itself. So only the first request says no.
type asked struct{ written atomic.Bool }

// MarshalBinary implements encoding.BinaryMarshaler.
func (a *asked) MarshalBinary() ([]byte, error) {
	if a.written.Swap(true) {
		return []byte("1"), nil
	}
	return []byte("0"), nil
}

// try asks for a place once. The end of ctx doesn't end a request that was sent: if the request takes a place, the caller has
// to know, to give it back.
func (p *places) try(ctx context.Context, token string, wait bool, before *asked) (*place, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cluster.Patience)
	defer cancel()
	since := clock.Now()
	answer, err := acquire.Run(ctx, p.client, append([]string{p.fence, p.queue}, p.keys...), token, p.lease.Milliseconds(), wait, before).Int64Slice()
	switch {
	case errors.Is(err, goredis.Nil):
		return nil, cluster.ErrTaken
	case err != nil && strings.Contains(err.Error(), "value is not an integer"):
		return nil, fmt.Errorf("%w: %s", errForeign, p.fence)
	case wrongType(err):
		return nil, fmt.Errorf("%w: %s, %s or a place, as %s", errForeign, p.fence, p.queue, p.keys[0])
	case err != nil:
		return nil, err
	}
	return &place{places: p, key: p.keys[answer[0]], token: token, since: since, fence: uint64(answer[1])}, nil
}

// giveUp takes the token out of the queue, and gives back the place that it holds or that is kept for it. If the server can't
// be reached, the place becomes free at the end of the lease.
func (p *places) giveUp(token string) {
	ctx, cancel := context.WithTimeout(context.Background(), cluster.Patience)
	defer cancel()
	_ = p.release(ctx, token, p.keys)
}

// release takes the token out of the queue, and gives back the places in keys that it holds or that are kept for it.
func (p *places) release(ctx context.Context, token string, keys []string) error {
	return release.Run(ctx, p.client, append([]string{p.queue}, keys...), token, p.pause().Milliseconds()).Err()
}

// errForeign means that a key has a value that isn't a guard's.
var errForeign = errors.New("the key has a value that isn't of this package")

// wrongType reports whether a command has found a value of another type.
func wrongType(err error) bool { return err != nil && strings.Contains(err.Error(), "WRONGTYPE ") }

// hopeless reports whether asking again makes no sense, unlike after a lost connection, a restart or a failover.
func hopeless(err error) bool {
	if errors.Is(err, goredis.ErrClosed) || errors.Is(err, errForeign) {
		return true
	}
	for _, code := range []string{"NOAUTH", "WRONGPASS", "NOPERM"} {
		if strings.Contains(err.Error(), code+" ") { // errors of scripts begin with ERR
			return true
		}
	}
	return wrongType(err)
}
