package storm_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A scene is given up when nothing has happened for some ticks, or when bodies are called without an end, not before.
func TestWatch(t *testing.T) {
	for name, c := range map[string]struct {
		bodies int64 // in each tick
		lasts  time.Duration
		want   time.Duration
	}{
		"nothing happens": {0, 0, 5 * tick},
		"it ends":         {1, 20 * tick, 25 * tick},
		"without an end":  {endless/10 + 1, time.Hour, 10 * tick},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				ctx, cancel := context.WithCancel(t.Context())
				a := &arena{scene: &scene{nodes: 1}}
				l := a.live(nil, nil)
				var bodies sync.WaitGroup
				bodies.Go(func() {
					for ctx.Err() == nil {
						if time.Since(begun) < c.lasts {
							l.fuel.Add(-c.bodies)
						}
						time.Sleep(tick)
					}
				})
				a.watch(ctx, 5, cancel)
				took := time.Since(begun)
				bodies.Wait()
				if took < c.want-tick || took > c.want+tick {
					t.Errorf("given up after %v, want %v", took, c.want)
				}
			})
		})
	}
}
