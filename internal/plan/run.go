package plan

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/goid"
	"github.com/futoin-go/asyncsteps/internal/private"
	"github.com/futoin-go/asyncsteps/internal/usercode"
)

// Run executes s on the caller's goroutine and returns its result.
func Run[In, Out any](ctx context.Context, s *Stage[In, Out], in In) (out Out, err error) {
	r, ctx, err := driven(ctx, &s.source)
	if err != nil {
		return out, err
	}
	Give(rootOf(r), in)
	if err = private.ToEnd(ctx, r); err == nil {
		out = *OutputOf[Out](rootOf(r).Frame())
	}
	r.Recycle()
	return out, err
}

// driven makes a run of s that has no loop yet, and returns its context.
func driven(ctx context.Context, s *source) (*frame.Run, context.Context, error) {
	p := programOf(s)
	if p.err != nil {
		return nil, nil, p.err
	}
	var watch frame.Watch
	host, ownClock := usercode.Nobody, false
	ends := !unasked(ctx)
	if ends {
		var err error
		if ctx, watch, err = admit(ctx, nil, s.node); err != nil {
			return nil, nil, err
		}
		host, ownClock = private.Host(ctx)
	}
	r := frame.NewDriven(ctx, frame.TakeRoot(p.level), private.Spare, goid.Current(), watch)
	if ends {
		r.Bind()
	}
	if host != usercode.Nobody {
		r.StandIn(host, ownClock)
	}
	return r, ctx, nil
}
