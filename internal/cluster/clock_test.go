package cluster_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/internal/cluster"
)

func TestProcessClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock cluster.ProcessClock
		began := clock.Now()
		fired := make(chan time.Duration, 2)
		stop := clock.After(time.Second, func() { fired <- 0 })
		clock.After(2*time.Second, func() { fired <- clock.Now() - began })
		stop()
		if after := <-fired; after != 2*time.Second {
			t.Errorf("fired after %v", after)
		}
	})
}

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		cluster.Sleep(t.Context(), time.Second)
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %v", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		cluster.Sleep(ctx, time.Hour)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("with the end of the context it took %v", took)
		}
	})
}
