package redis_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/syncx/redis"
)

// The environment of a worker.
const (
	addressEnv = "TEST_REDIS_ADDRESS"
	leaseEnv   = "TEST_REDIS_LEASE"
	placesEnv  = "TEST_REDIS_PLACES"
)

// dial gives the guard of a worker.
func dial() *redis.Mutex {
	lease, err := time.ParseDuration(os.Getenv(leaseEnv))
	places, err2 := strconv.Atoi(os.Getenv(placesEnv))
	if err != nil || err2 != nil {
		fmt.Fprintln(os.Stderr, err, err2)
		os.Exit(1)
	}
	return redis.New(goredis.NewClient(options(os.Getenv(addressEnv))), lease).Mutex("shared", places, -1)
}

func workerEnv(t *testing.T, lease time.Duration, places int) []string {
	t.Helper()
	return []string{addressEnv + "=" + serve(t).address(), leaseEnv + "=" + lease.String(), placesEnv + "=" + strconv.Itoa(places)}
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
