package redis_test

import (
	"context"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/redis"
)

// The examples that need a server have no Output, so they are only compiled.

func ExampleNew() { //nolint:testableexamples // needs a server
	client := goredis.NewClient(&goredis.Options{Addr: "localhost:6379"})
	guards := redis.New(client, 10*time.Second)
	greet := step.Map(func(name string) string { return "hello " + name })
	fmt.Println(flow.Run(context.Background(), syncx.Sync(guards.Mutex("greeter", 1, -1), greet), "Ann"))
}

// Of all workers, one at a time numbers invoices, and what it writes has its fence.
func ExampleGuards_Mutex() { //nolint:testableexamples // needs a server
	client := goredis.NewClient(&goredis.Options{Addr: "localhost:6379"})
	one := redis.New(client, 10*time.Second).Mutex("invoices", 1, -1)
	number := step.Await(func(ctx context.Context, customer string) (string, error) {
		return fmt.Sprintf("UPDATE invoices SET …, fence = %d WHERE customer = %q AND fence <= %[1]d", syncx.Fence(ctx), customer), nil
	})
	fmt.Println(flow.Run(context.Background(), syncx.Sync(one, number), "Ann"))
}

func ExampleGuards_Throttle() { //nolint:testableexamples // needs a server
	client := goredis.NewClient(&goredis.Options{Addr: "localhost:6379"})
	twice := redis.New(client, 10*time.Second).Throttle("mails", 2, time.Hour, 0)
	send := syncx.Sync(twice, step.Map(func(to string) string { return "sent to " + to }))
	fmt.Println(flow.Run(context.Background(), send, "Ann"))
}

func ExampleGuards_Limiter() { //nolint:testableexamples // needs a server
	client := goredis.NewClient(&goredis.Options{Addr: "localhost:6379"})
	api := redis.New(client, 10*time.Second).Limiter("api", syncx.Limits{Concurrent: 10, MaxQueue: -1, Rate: 100, Burst: -1})
	call := syncx.Sync(api, step.Map(func(path string) string { return "GET " + path }))
	fmt.Println(flow.Run(context.Background(), call, "/users"))
}

func ExampleMutex_Err() {
	fmt.Println(redis.New(nil, time.Second).Mutex("m", 1, 0).Err())
	// Output: InvalidRequest: redis: the client is nil
}

func ExampleThrottle_Err() {
	client := goredis.NewClient(&goredis.Options{Addr: "localhost:6379"})
	fmt.Println(redis.New(client, time.Second).Throttle("t", 1, 0, 0).Err())
	// Output: InvalidRequest: redis: a period must be positive, got 0s
}

func ExampleLimiter_Err() {
	client := goredis.NewClient(&goredis.Options{Addr: "localhost:6379"})
	fmt.Println(redis.New(client, time.Second).Limiter("{a}", syncx.Limits{}).Err())
	// Output: InvalidRequest: redis: a name must not be empty and has no braces, got "{a}"
}
