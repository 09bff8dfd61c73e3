package redis_test

import (
	"context"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/redis"
)

// A server that allows no calls is asked again by those who wait.
func TestCallsAreForbidden(t *testing.T) {
	s := serve(t)
	if err := s.client().Do(t.Context(), "ACL", "SETUSER", "default", "resetchannels").Err(); err != nil {
		t.Fatal(err)
	}
	began, let := make(chan string, 3), make(chan struct{})
	section := step.Await(func(_ context.Context, name string) (string, error) {
		began <- name
		<-let
		return name, nil
	})
	ended := make(chan error, 3)
	for range 3 {
		go func() {
			_, err := flow.Run(t.Context(), syncx.Sync(redis.New(s.client(), time.Hour).Mutex("m", 1, -1), section), "")
			ended <- err
		}()
	}
	<-began
	client := s.client()
	clustertest.Eventually(t, "two processes wait", func() bool { return client.ZCard(t.Context(), "{m}:queue").Val() == 2 })
	close(let)
	for range 3 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
