//go:build !race

package draw_test

import (
	"runtime/debug"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Drawing doesn't recurse, and writes at most 700 bytes for each step. The race detector would take long for such plans
// and see a single goroutine.
func TestLargePlans(t *testing.T) {
	const n = 50_000
	long, deep := flow.Of(step.Map(same)), flow.Of(step.Map(same))
	for range n {
		long = flow.Then(long, step.Map(same))
		deep = flow.Timeout(time.Hour, deep)
	}
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 10))
	for name, p := range map[string]flow.Plan[int, int]{"long": long, "deep": deep} {
		tree := flow.Describe(p)
		for format, write := range writers {
			var size counter
			if err := write(&size, tree); err != nil || size > 700*n {
				t.Errorf("%s as %s: %d bytes, %v", name, format, size, err)
			}
		}
	}
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
