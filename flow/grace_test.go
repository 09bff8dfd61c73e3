package flow_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// ignores is a step whose goroutine returns after d, whatever its context says.
func ignores(d time.Duration) step.Step[int, int] {
	return step.Await(func(_ context.Context, in int) (int, error) {
		doze(d)
		return in, nil
	})
}

// C1, C3: the grace of a goroutine ends in a branch whose siblings are still being cancelled by a limit further out. The
// branch is left in its turn: its handler isn't asked and no further step begins.
func TestGraceEndsInDoomedBranch(t *testing.T) {
	bubble(t, func(t *testing.T, loop *tool.Loop, reported *reports) {
		var b book
		limited := b.mends("handler", 7, flow.Timeout(10*time.Millisecond, ignores(5*time.Second)))
		p := flow.Timeout(50*time.Millisecond, flow.Par(ignores(5*time.Second), flow.Then(limited, b.says("next step"))))
		_, err := flow.Start(t.Context(), loop, p, 1).Wait(t.Context())
		doze(10 * time.Second)
		e := coded(t, err, fault.Timeout)
		b.is(t)
		if n := strings.Count(e.Error(), "took longer than 50ms"); n != 1 {
			t.Errorf("the error says %d times what happened: %v", n, e)
		}
		if n := len(reported.all()); n != 2 {
			t.Errorf("%d goroutines were reported, want 2", n)
		}
	})
}

// C7: goroutines are told to stop at once, so their graces pass at once.
func TestGracesDoNotAddUp(t *testing.T) {
	bubble(t, func(t *testing.T, loop *tool.Loop, reported *reports) {
		began := time.Now()
		s := ignores(time.Minute)
		_, err := flow.Start(t.Context(), loop, flow.Timeout(time.Second, flow.Par(s, s, s, s, s)), 1).Wait(t.Context())
		coded(t, err, fault.Timeout)
		if took := time.Since(began); took != time.Second+step.AwaitGrace {
			t.Errorf("took %v, want %v", took, time.Second+step.AwaitGrace)
		}
		if n := len(reported.all()); n != 5 {
			t.Errorf("%d goroutines were reported, want 5", n)
		}
		doze(time.Hour)
	})
}
