package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/go-redis/redis_rate/v10"
	goredis "github.com/redis/go-redis/v9"

	"github.com/futoin-go/asyncsteps/internal/cluster"
)

// rate is a limit of redis_rate. It takes entries one by one, because AllowAtMost also takes a fraction of a further entry
// without reporting that.
type rate struct {
	client  goredis.UniversalClient
	limiter *redis_rate.Limiter
	key     string
	limit   redis_rate.Limit

	mu sync.Mutex // held during a Take
}

func newRate(client goredis.UniversalClient, name string, maximum int, period time.Duration) *rate {
	return &rate{
		client: client, limiter: redis_rate.NewLimiter(client), key: "{" + name + "}",
		limit: redis_rate.Limit{Rate: maximum, Burst: maximum, Period: period},
	}
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
		after, err = r.try(ctx)
		switch {
		case err == nil && after >= 0 && got == 0:
			return 0, after, nil
		case err == nil && after >= 0:
			return got, 0, nil
		case err == nil:
			if got++; got == n {
				return got, 0, nil
			}
		case got > 0:
			return got, 0, nil // the flows that got no entry ask again
		case ctx.Err() != nil:
			return 0, 0, ctx.Err()
		case hopeless(err):
			return 0, 0, err
		default:
			cluster.Sleep(ctx, cluster.Pause)
		}
	}
}

// try asks for one entry. after is the time to wait before asking again, or below zero if the entry was given.
func (r *rate) try(ctx context.Context) (after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, cluster.Patience)
	defer cancel()
	answer, err := r.limiter.Allow(ctx, r.key, r.limit)
	switch {
	case err != nil:
		return 0, r.explained(ctx, err)
	case answer.Allowed > 0:
		return -1, nil
	default:
		return max(answer.RetryAfter, time.Millisecond), nil
	}
}

// explained returns errForeign if the script of redis_rate has failed because of the value of its key, and err otherwise.
func (r *rate) explained(ctx context.Context, err error) error {
	if _, answered := errors.AsType[goredis.Error](err); !answered { // no answer of the server
		return err
	}
	key := "rate:" + r.key // the key of redis_rate
	_, other := r.client.Get(ctx, key).Float64()
	if _, text := errors.AsType[*strconv.NumError](other); text || wrongType(other) {
		return fmt.Errorf("%w: %s", errForeign, key)
	}
	return err
}
