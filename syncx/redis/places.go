package redis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	goredis9 "github.com/redis/go-redis/v9"

	"github.com/futoin-go/asyncsteps/internal/cluster"
)

// places are locks of redsync under the keys "{name}:places:0", "{name}:places:1", … The
// braces keep them and the fence on one node of a Redis Cluster.
type places struct {
	client goredis9.UniversalClient
	sync   *redsync.Redsync
	keys   []string
	fence  string
	lease  time.Duration

	mu sync.Mutex // held during a request
}

func newPlaces(client goredis9.UniversalClient, name string, n int, lease time.Duration) *places {
	p := &places{
		client: client, sync: redsync.New(goredis.NewPool(client)), lease: lease,
		keys: make([]string, n), fence: "{" + name + "}:fence",
	}
	for i := range p.keys {
		p.keys[i] = "{" + name + "}:places:" + strconv.Itoa(i)
	}
	return p
}

// longest is the longest time between two attempts to find a free place.
const longest = 100 * time.Millisecond

// Acquire implements cluster.Places.
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
	for {
		got, err := p.all(ctx)
		switch {
		case err == nil:
			return got, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case hopeless(err):
			return nil, err
		case !errors.Is(err, cluster.ErrTaken):
			cluster.Sleep(ctx, cluster.Pause)
		case !wait:
			return nil, err
		default:
			most := min(longest, p.lease/10)
			cluster.Sleep(ctx, most/2+rand.N(most/2))
		}
	}
}

// all tries every place once, beginning with a random one. The end of ctx doesn't end a request that is under way: if that takes the
// place nevertheless, the caller has to know that, to give it back.
func (p *places) all(ctx context.Context) (*place, error) {
	for _, i := range rand.Perm(len(p.keys)) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		got, err := p.try(context.WithoutCancel(ctx), p.keys[i])
		if !errors.Is(err, cluster.ErrTaken) {
			return got, err
		}
	}
	return nil, cluster.ErrTaken
}

func (p *places) try(ctx context.Context, key string) (*place, error) {
	ctx, cancel := context.WithTimeout(ctx, cluster.Patience)
	defer cancel()
	since := clock.Now()
	lock := p.sync.NewMutex(key, redsync.WithExpiry(p.lease), redsync.WithTries(1))
	if err := lock.TryLockContext(ctx); err != nil {
		if taken(err) {
			return nil, cluster.ErrTaken
		}
		return nil, err
	}
	got := &place{lock: lock, since: since}
	fence, err := fenced.Run(ctx, p.client, []string{key, p.fence}, lock.Value()).Uint64()
	if err != nil {
		got.Release()
		switch {
		case errors.Is(err, goredis9.Nil): // the lease has passed since then
			err = cluster.ErrTaken
		case strings.Contains(err.Error(), "value is not an integer") || wrongType(err):
			err = fmt.Errorf("%w: %s", errForeign, p.fence)
		}
		return nil, err
	}
	got.fence = fence
	return got, nil
}

// fenced is a script that returns the next fence to the holder of the lock. A holder that was replaced gets none, so
// fences rise in the order in which the places were held.
var fenced = goredis9.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("INCR", KEYS[2])
end
return false
`)

// taken reports whether err means that another process has the lock.
func taken(err error) bool {
	var lock *redsync.ErrTaken
	return errors.As(err, &lock)
}

// errForeign means that a key of a guard has a value that no guard has written.
var errForeign = errors.New("the key has a value that isn't of this package")

// wrongType reports whether err is the answer of a server whose value isn't a string.
func wrongType(err error) bool { return err != nil && strings.Contains(err.Error(), "WRONGTYPE ") }

// hopeless reports whether asking again makes no sense. It is false for every error that a lost connection, a restart
// or a failover may cause.
func hopeless(err error) bool {
	if errors.Is(err, goredis9.ErrClosed) || errors.Is(err, errForeign) {
		return true
	}
	for _, code := range []string{"NOAUTH", "WRONGPASS", "NOPERM"} {
		if strings.Contains(err.Error(), code+" ") { // redsync joins the errors of all nodes
			return true
		}
	}
	return wrongType(err)
}

// place is a lock that this process holds.
type place struct {
	lock  *redsync.Mutex
	since time.Duration
	fence uint64

	mu sync.Mutex // held during a request
}

// Fence implements cluster.Place.
func (p *place) Fence() uint64 { return p.fence }

// Since implements cluster.Place.
func (p *place) Since() time.Duration { return p.since }

// Renew implements cluster.Place.
func (p *place) Renew(ctx context.Context, done func(error)) {
	go func() {
		p.mu.Lock()
		ctx, cancel := context.WithTimeout(ctx, cluster.Patience)
		_, err := p.lock.ExtendContext(ctx)
		cancel()
		p.mu.Unlock()
		if err != nil && taken(err) {
			err = cluster.ErrLost
		}
		done(err)
	}()
}

// Release implements cluster.Place, after a renewal that is under way. If the server can't be
// reached the lease passes.
func (p *place) Release() {
	go func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), cluster.Patience)
		defer cancel()
		_, _ = p.lock.UnlockContext(ctx) // another process may have the lock by now
	}()
}
