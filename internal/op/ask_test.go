package op_test

import (
	"context"
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

var errRefused = errors.New("refused")

// note is the Asker of giver. It counts the calls of Leave.
type note struct {
	op.Answer[int]
	left *int
}

func (n *note) Leave() { *n.left++ }

// giver has the values of keys below 10 at once, and that of 30 by the time of Join. It refuses 20, and never has the others.
type giver struct {
	done op.Done[int] // of the step that has asked last
	left int
}

func (*giver) Find(_ op.Spot, k int) (v int, found bool, err error) { return -k, k < 10, nil }

func (g *giver) Join(_ op.Spot, n *note, k int) (v int, found bool, err error) {
	g.done, n.left = n.Done(), &g.left
	switch k {
	case 20:
		return 0, false, errRefused
	case 30:
		return -30, true, nil
	default:
		return 0, false, nil
	}
}

type asks struct{ s *plan.Stage[int, int] }

func (a asks) Stage() *plan.Stage[int, int] { return a.s }

// A giver has a value at once, has it by the time of Join, refuses, or completes the step; Leave is called only if
// the step is left while it waits.
func TestAsk(t *testing.T) {
	for _, c := range []struct {
		key, want, left int
		err             error
		meanwhile       func(*giver, *flow.Running[int])
	}{
		{key: 1, want: -1},
		{key: 30, want: -30},
		{key: 20, err: errRefused},
		{key: 40, want: 7, meanwhile: func(g *giver, _ *flow.Running[int]) { g.done.Succeed(7) }},
		{key: 40, err: errRefused, meanwhile: func(g *giver, _ *flow.Running[int]) { g.done.Fail(errRefused) }},
		{key: 40, left: 1, err: context.Canceled, meanwhile: func(_ *giver, r *flow.Running[int]) { r.Cancel(nil) }},
	} {
		l, g := tooltest.New(), &giver{}
		run := flow.Start(t.Context(), l, flow.Then[int, int, int](asks{op.Ask("ask", g)}, step.Delay[int](1)), c.key)
		l.Advance(0)
		if c.meanwhile != nil {
			c.meanwhile(g, run)
		}
		l.Run()
		v, err := run.Result()
		if v != c.want || !errors.Is(err, c.err) || g.left != c.left {
			t.Errorf("of %d got %d, %v, left %d times", c.key, v, err, g.left)
		}
		if c.key >= 10 {
			g.done.Succeed(8) // too late
		}
	}
}
