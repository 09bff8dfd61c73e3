package redis_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-redis/redis_rate/v10"
	goredis "github.com/redis/go-redis/v9"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/redis"
)

var pass = step.Map(func(name string) string { return name })

func TestServerForbids(t *testing.T) {
	client := serve(t).client()
	guards := redis.New(client, time.Minute)
	if err := client.Do(t.Context(), "ACL", "SETUSER", "default", "-set", "-eval", "-evalsha").Err(); err != nil {
		t.Fatal(err)
	}
	for _, g := range []syncx.Guard{guards.Mutex("m", 1, -1), guards.Throttle("m", 1, time.Second, -1)} {
		if _, err := flow.Run(t.Context(), syncx.Sync(g, pass), ""); fault.CodeOf(err) != fault.CommError {
			t.Errorf("ended with %v", err)
		}
	}
}

func TestForeignValues(t *testing.T) {
	client := serve(t).client()
	guards := redis.New(client, time.Minute)
	for _, c := range []struct {
		key   string
		guard syncx.Guard
	}{
		{"rate:{t}", guards.Throttle("t", 1, time.Second, -1)},
		{"{m}:fence", guards.Mutex("m", 1, -1)},
	} {
		for what, store := range map[string]func() error{
			"a text": func() error { return client.Set(t.Context(), c.key, "somebody else's", 0).Err() },
			"a list": func() error { return client.RPush(t.Context(), c.key, "somebody else's").Err() },
		} {
			if err := client.Del(t.Context(), c.key).Err(); err != nil {
				t.Fatal(err)
			}
			if err := store(); err != nil {
				t.Fatal(err)
			}
			_, err := flow.Run(t.Context(), flow.Timeout(time.Minute, syncx.Sync(c.guard, pass)), "")
			if fault.CodeOf(err) != fault.CommError || !strings.Contains(err.Error(), c.key) {
				t.Errorf("%s in %s: ended with %v", what, c.key, err)
			}
		}
	}
}

// If the server's clock is set back, which the test imitates by a later time in the key, no entry is allowed.
func TestThrottleKey(t *testing.T) {
	client := serve(t).client()
	enter := func() fault.Code {
		_, err := flow.Run(t.Context(), syncx.Sync(redis.New(client, time.Minute).Throttle("t", 2, time.Hour, 0), pass), "")
		return fault.CodeOf(err)
	}
	for _, want := range []fault.Code{"", "", fault.DefenseRejected} {
		if code := enter(); code != want {
			t.Errorf("ended with %q, want %q", code, want)
		}
	}
	if left, err := client.TTL(t.Context(), "rate:{t}").Result(); err != nil || left > time.Hour || left < 50*time.Minute {
		t.Errorf("the key expires in %v, %v", left, err)
	}
	const entry = 30 * 60 // seconds
	for back, want := range map[float64]fault.Code{-entry: "", 0: fault.DefenseRejected, entry: fault.DefenseRejected} {
		last, err := client.Get(t.Context(), "rate:{t}").Float64()
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Set(t.Context(), "rate:{t}", last+back, time.Hour).Err(); err != nil {
			t.Fatal(err)
		}
		if code := enter(); code != want {
			t.Errorf("%v s: ended with %q, want %q", back, code, want)
		}
		if err := client.Set(t.Context(), "rate:{t}", last, time.Hour).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// After half of the period one of the two entries is allowed again. The test imitates the time that passes by an earlier
// time in the key.
func TestSteadyRate(t *testing.T) {
	client := serve(t).client()
	for _, c := range []struct{ after, want int }{{0, 2}, {29, 0}, {2, 1}, {28, 0}, {2, 1}, {70, 2}} {
		if c.after > 0 {
			last, err := client.Get(t.Context(), "rate:{t}").Float64()
			if err != nil {
				t.Fatal(err)
			}
			if err = client.Set(t.Context(), "rate:{t}", last-float64(c.after*60), time.Hour).Err(); err != nil {
				t.Fatal(err)
			}
		}
		entered := 0
		h := redis.New(client, time.Minute).Throttle("t", 2, time.Hour, 0) // of another process, which knows of no pause
		for range 3 {
			switch _, err := flow.Run(t.Context(), syncx.Sync(h, pass), ""); fault.CodeOf(err) {
			case "":
				entered++
			case fault.DefenseRejected:
			default:
				t.Error(err)
			}
		}
		if entered != c.want {
			t.Errorf("%d flows enter after %d more minutes, want %d", entered, c.after, c.want)
		}
	}
}

// AllowAtMost takes a fraction of an entry too many. Therefore a throttle takes entries one by one.
func TestAllowAtMostTakesAFraction(t *testing.T) {
	client := serve(t).client()
	now, err := client.Time(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	const epoch2017, entry = 1483228800, 20 * 60
	last := float64(now.Unix()-epoch2017) + 1.5*entry // of the three entries, one and a half are left
	if err := client.Set(t.Context(), "rate:t", last, time.Hour).Err(); err != nil {
		t.Fatal(err)
	}
	limit := redis_rate.Limit{Rate: 3, Burst: 3, Period: time.Hour}
	got, err := redis_rate.NewLimiter(client).AllowAtMost(t.Context(), "t", limit, 2)
	if err != nil || got.Allowed != 1 {
		t.Fatalf("got %v, %v", got, err)
	}
	if after, err := client.Get(t.Context(), "rate:t").Float64(); err != nil || after < last+1.4*entry {
		t.Errorf("%v s were taken for one entry, %v: throttles could use AllowAtMost now", after-last, err)
	}
}

// late holds back the answers to scripts until the test closes on.
type late struct{ written, on chan struct{} }

func (late) DialHook(next goredis.DialHook) goredis.DialHook { return next }

func (late) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

func (l late) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		err := next(ctx, cmd)
		if !strings.HasPrefix(cmd.Name(), "eval") || err != nil {
			return err
		}
		l.written <- struct{}{}
		select {
		case <-l.on:
			return err
		case <-ctx.Done(): // as with the option ContextTimeoutEnabled
			cmd.SetErr(ctx.Err())
			return ctx.Err()
		}
	}
}

// The place that the server gives to the cancelled flow is given back before its lease is over.
func TestCancelWhileThePlaceIsTaken(t *testing.T) {
	s := serve(t)
	client := s.client()
	l := late{make(chan struct{}, 1), make(chan struct{})}
	client.AddHook(l)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := flow.Run(ctx, syncx.Sync(redis.New(client, time.Hour).Mutex("m", 1, -1), pass), "")
		ended <- err
	}()
	<-l.written
	cancel()
	if err := <-ended; fault.CodeOf(err) != fault.Cancelled {
		t.Errorf("ended with %v", err)
	}
	close(l.on)
	other := s.client()
	clustertest.Eventually(t, "the lock is gone", func() bool { return other.Exists(t.Context(), "{m}:places:0").Val() == 0 })
}

// losing loses the answer to the first script that succeeds, and then calls then.
type losing struct {
	late
	then func()
}

func (l *losing) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		err := next(ctx, cmd)
		if then := l.then; err == nil && then != nil && strings.HasPrefix(cmd.Name(), "eval") {
			l.then = nil
			then()
			cmd.SetErr(context.DeadlineExceeded)
			return context.DeadlineExceeded
		}
		return err
	}
}

// The flow whose answer was lost gets the place that it holds, not another one that is free by now. It would hold both.
func TestAnswerToTakingOneOfSeveralIsLost(t *testing.T) {
	s := serve(t)
	client, other := s.client(), s.client()
	if err := other.Set(t.Context(), "{m}:places:0", "holder", time.Hour).Err(); err != nil {
		t.Fatal(err)
	}
	client.AddHook(&losing{then: func() { other.Del(t.Context(), "{m}:places:0") }})
	count := step.Await(func(ctx context.Context, _ string) (int64, error) {
		return other.Exists(ctx, "{m}:places:0", "{m}:places:1").Result()
	})
	held, err := flow.Run(t.Context(), syncx.Sync(redis.New(client, time.Hour).Mutex("m", 2, -1), count), "")
	if held != 1 || err != nil {
		t.Errorf("%d places are held, %v", held, err)
	}
}

func TestNotMadeByNew(t *testing.T) {
	clustertest.WantIllFormed(t, map[string]syncx.Guard{
		"no client":         redis.New(nil, time.Minute).Mutex("m", 1, 0),
		"the zero Guards":   new(redis.Guards).Throttle("t", 1, time.Second, 0),
		"nil Guards":        (*redis.Guards)(nil).Limiter("l", syncx.Limits{}),
		"the zero Mutex":    new(redis.Mutex),
		"the zero Throttle": new(redis.Throttle),
		"the zero Limiter":  new(redis.Limiter),
		"a nil Mutex":       (*redis.Mutex)(nil),
		"a nil Throttle":    (*redis.Throttle)(nil),
		"a nil Limiter":     (*redis.Limiter)(nil),
	})
}
