//go:build !race && (amd64 || arm64)

// Not with the race detector: there sync.Pool drops some objects on purpose, so allocations can't be counted. On other
// processors the runtime interprets guests, and allocates for each call.

package wasm

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/tool"
)

// Many steps or waits in a repeat allocate at most once in ten iterations, although the guest isn't trusted.
func TestAllocs(t *testing.T) {
	for _, c := range []struct {
		name     string
		function uint32
	}{{"steps", 1}, {"waits", 3}} {
		m, err := Load(context.Background(), repeatGuest().step(), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		loop := tool.NewManual(tool.Options{})
		i, err := m.take(context.Background(), loop, true)
		if err != nil {
			t.Fatal(err)
		}
		r := i.newRoot()
		const turns = 1000
		run := func() {
			repeat(r.peer, []uint32{r.peer.at, 0, turns, c.function, 0})
			r.execute(0, 0)
			for loop.Iterate() {
			}
		}
		run()
		if got := testing.AllocsPerRun(10, run); got > turns/10 {
			t.Errorf("%s: %v allocations in %d turns", c.name, got, turns)
		}
		i.end()
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
