package private_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// counting is a context that counts the calls of Err, and fails the test when there are too many.
type counting struct {
	context.Context
	t     *testing.T
	looks int
}

func (c *counting) Err() error {
	if c.looks++; c.looks > 100 {
		c.t.Fatal("the run looks at its context again and again")
	}
	return c.Context.Err()
}

// C7: while a run whose context has ended waits for a goroutine, it sleeps.
func TestCancelledRunSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		slow := step.Await(func(ctx context.Context, _ int) (int, error) {
			<-ctx.Done()
			time.Sleep(time.Millisecond)
			return 0, nil
		})
		_, err := flow.Run(&counting{Context: ctx, t: t}, slow, 0)
		if fault.CodeOf(err) != fault.Timeout {
			t.Errorf("ended with %v", err)
		}
	})
}
