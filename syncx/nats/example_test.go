package nats_test

import (
	"context"
	"fmt"
	"os"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/nats"
)

// embedded returns a bucket of a server in this process. A program connects to its own server.
func embedded() (kv jetstream.KeyValue, stop func()) {
	dir, err := os.MkdirTemp("", "nats")
	check(err)
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true})
	check(err)
	go s.Start()
	s.ReadyForConnections(time.Minute)
	nc, err := natsgo.Connect(s.ClientURL())
	check(err)
	js, err := jetstream.New(nc)
	check(err)
	kv, err = js.CreateOrUpdateKeyValue(context.Background(), jetstream.KeyValueConfig{Bucket: "guards"})
	check(err)
	return kv, func() {
		nc.Close()
		s.Shutdown()
		s.WaitForShutdown()
		_ = os.RemoveAll(dir)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func ExampleNew() {
	kv, stop := embedded()
	defer stop()
	guards := nats.New(kv, 10*time.Second)
	greet := step.Map(func(name string) string { return "hello " + name })
	fmt.Println(flow.Run(context.Background(), syncx.Sync(guards.Mutex("greeter", 1, -1), greet), "Ann"))
	// Output: hello Ann <nil>
}

// Of all workers, one at a time numbers invoices. By the fence the database refuses a number from a worker that was replaced.
func ExampleGuards_Mutex() {
	kv, stop := embedded()
	defer stop()
	one := nats.New(kv, 10*time.Second).Mutex("invoices", 1, -1)
	var largest uint64 // stored in the database
	number := step.Await(func(ctx context.Context, customer string) (string, error) {
		fence := syncx.Fence(ctx)
		if fence < largest {
			return "", syncx.LeaseLost
		}
		fmt.Println("a larger fence:", fence > largest)
		largest = fence
		return customer + " has a number", nil
	})
	for _, customer := range []string{"Ann", "Bob"} {
		fmt.Println(flow.Run(context.Background(), syncx.Sync(one, number), customer))
	}
	// Output:
	// a larger fence: true
	// Ann has a number <nil>
	// a larger fence: true
	// Bob has a number <nil>
}

func ExampleGuards_Throttle() {
	kv, stop := embedded()
	defer stop()
	twice := nats.New(kv, 10*time.Second).Throttle("mails", 2, time.Hour, 0)
	send := syncx.Sync(twice, step.Map(func(to string) string { return "sent to " + to }))
	for _, to := range []string{"Ann", "Bob", "Eve"} {
		_, err := flow.Run(context.Background(), send, to)
		fmt.Println(to, err == nil)
	}
	// Output:
	// Ann true
	// Bob true
	// Eve false
}

func ExampleGuards_Limiter() {
	kv, stop := embedded()
	defer stop()
	api := nats.New(kv, 10*time.Second).Limiter("api", syncx.Limits{Concurrent: 10, MaxQueue: -1, Rate: 100, Burst: -1})
	call := syncx.Sync(api, step.Map(func(path string) string { return "GET " + path }))
	fmt.Println(flow.Run(context.Background(), call, "/users"))
	// Output: GET /users <nil>
}

func ExampleMutex_Err() {
	fmt.Println(nats.New(nil, time.Second).Mutex("m", 1, 0).Err())
	// Output: InvalidRequest: nats: the bucket is nil
}

func ExampleThrottle_Err() {
	kv, stop := embedded()
	defer stop()
	fmt.Println(nats.New(kv, time.Second).Throttle("t", 1, 0, 0).Err())
	// Output: InvalidRequest: nats: a period must be positive, got 0s
}

func ExampleLimiter_Err() {
	kv, stop := embedded()
	defer stop()
	fmt.Println(nats.New(kv, time.Second).Limiter("a b", syncx.Limits{}).Err())
	// Output: InvalidRequest: nats: the name "a b" is no key of a bucket
}
