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

// A flow that is cancelled gives back the place that is kept for it, here for an hour.
func TestKeptPlaceOfACancelledFlow(t *testing.T) {
	s := serve(t)
	client := s.client()
	hold := func(value string) {
		if err := client.Set(t.Context(), "{m}:places:0", value, time.Hour).Err(); err != nil {
			t.Error(err)
		}
	}
	hold("holder")
	enter := func(ctx context.Context, n int64) <-chan error {
		ended := make(chan error, 1)
		go func() {
			_, err := flow.Run(ctx, syncx.Sync(redis.New(s.client(), time.Hour).Mutex("m", 1, -1), pass), "")
			ended <- err
		}()
		clustertest.Eventually(t, "it waits", func() bool { return client.ZCard(t.Context(), "{m}:queue").Val() == n })
		return ended
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := enter(ctx, 1)
	second := enter(t.Context(), 2)
	called, err := client.ZPopMin(t.Context(), "{m}:queue").Result()
	if err != nil || len(called) != 1 {
		t.Fatal(called, err)
	}
	token, _ := called[0].Member.(string)
	hold("next " + token)
	cancel()
	<-first // cancelled, unless it has just taken the place
	select {
	case err := <-second:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("nobody gives the place back")
	}
}
