package nats_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/syncx/nats"
)

// The environment of a worker.
const (
	urlEnv    = "TEST_NATS_URL"
	leaseEnv  = "TEST_NATS_LEASE"
	placesEnv = "TEST_NATS_PLACES"
)

// work is the main function of a worker.
func work() {
	guard, err := dial()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	clustertest.Work(guard)
}

func dial() (*nats.Mutex, error) {
	lease, err := time.ParseDuration(os.Getenv(leaseEnv))
	if err != nil {
		return nil, err
	}
	places, err := strconv.Atoi(os.Getenv(placesEnv))
	if err != nil {
		return nil, err
	}
	nc, err := natsgo.Connect(os.Getenv(urlEnv), natsgo.MaxReconnects(-1))
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	kv, err := js.KeyValue(context.Background(), "guards")
	return nats.New(kv, lease).Mutex("shared", places, -1), err
}

func workerEnv(t *testing.T, lease time.Duration, places int) []string {
	t.Helper()
	s := serve(t, t.TempDir(), anyPort)
	bucket(t, connect(t, s.ClientURL()))
	return []string{urlEnv + "=" + s.ClientURL(), leaseEnv + "=" + lease.String(), placesEnv + "=" + strconv.Itoa(places)}
}

// A holder that is killed, or stopped, is replaced within a lease, with a larger fence; the
// one that was stopped hears of it when it goes on.
func TestG9TakeoverBetweenProcesses(t *testing.T) {
	const lease = 2 * time.Second
	clustertest.Takeover(t, lease, workerEnv(t, lease, 1)...)
}

// Whatever happens to the processes, no more are inside than there are places.
func TestG9StormOfProcesses(t *testing.T) {
	const lease = time.Second
	for _, places := range []int{1, 2} {
		t.Run(strconv.Itoa(places), func(t *testing.T) {
			clustertest.Storm(t, places, lease, workerEnv(t, lease, places)...)
		})
	}
}
