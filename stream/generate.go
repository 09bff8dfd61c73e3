package stream

import (
	"context"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/step"
)

// Generate is a source of ordinary blocking code: body runs on a goroutine of its own and calls yield for each element.
// body may be up to ahead elements ahead of the stages behind it; then yield blocks. When yield returns false the stream
// has ended, and body should return; its context ends then too, with the reason as its cause.
//
// If body returns an error or panics, the stream fails with that, after the elements that came before. The
// stream doesn't end before body has returned, or has outlived its grace: see step.Await. yield
// must not be called after body has returned. A nil body and an ahead below 1 are reported by flow.Plan.Err.
func Generate[In, T any](ahead int, body func(ctx context.Context, in In, yield func(T) bool) error) Stream[In, T] {
	return generate("generate", ahead, missing(body == nil, "the body"), func(ctx context.Context, in In, to *mailbox[T]) error {
		return body(ctx, in, to.put)
	})
}

// Chan is a source that takes a channel as its input. It gives what is received from the channel until the channel is
// closed. A goroutine receives, up to ahead elements before the stages behind are ready for them. What the goroutine
// hasn't received when the stream ends stays in the channel. A nil channel gives no element and never ends. An
// ahead below 1 is reported by flow.Plan.Err.
func Chan[T any](ahead int) Stream[<-chan T, T] {
	return generate("chan", ahead, "", func(ctx context.Context, in <-chan T, to *mailbox[T]) error {
		for {
			select {
			case v, ok := <-in:
				if !ok || !to.offer(v) { // put could refuse an element, which would be lost without a trace
					return nil
				}
			case <-ctx.Done():
				return nil
			}
		}
	})
}

// generate makes a source whose body fills a mailbox on a goroutine of its own.
func generate[In, T any](
	kind string, ahead int, bad string, body func(context.Context, In, *mailbox[T]) error,
) Stream[In, T] {
	bad = first(bad, atLeast(1, ahead, "ahead"))
	run := beside(func(ctx context.Context, g *generator[In, T]) {
		stop := context.AfterFunc(ctx, g.box.shut)
		defer stop()
		var err error
		usercode.Protect(func() { err = body(ctx, g.in, g.box) }, func(broken error) {
			if broken != nil {
				err = g.broke(broken)
			}
			if ctx.Err() != nil { // body may have stopped because the context has ended, so the elements may not be complete
				g.late(broken)
				err = context.Cause(ctx)
			}
			g.box.finish(err)
		})
	})
	s := from(kind, bad, func(e env, in In) inlet[T] {
		g := &generator[In, T]{env: e, in: in, run: run, box: newMailbox[T](ahead, e.p.post)}
		e.p.tasks = append(e.p.tasks, g)
		return g
	})
	s.d.node.Confined = confined
	return s.with(func() []plan.Parameter { return []plan.Parameter{plan.Set("ahead", ahead)} })
}

// confined is the reason why no other process can repeat a stage that has goroutines.
const confined = "its goroutines can't be repeated: put the whole stream inside of a body"

// beside makes the step that runs body on a goroutine. body reports to its input how it has ended, so the step succeeds
// even if the user's function calls runtime.Goexit. The step fails if it ends without that report, as on a loop that has no
// goroutine for body.
func beside[T interface{ reported() bool }](body func(context.Context, T)) step.Step[T, unit] {
	work := step.Await(func(ctx context.Context, in T) (unit, error) {
		body(ctx, in)
		return unit{}, nil
	})
	return flow.CatchInput(work, func(_ step.Scope, in T, _ error) step.Next[unit] {
		if in.reported() {
			return step.Succeed(unit{})
		}
		return step.Unwind[unit]()
	})
}

type generator[In, T any] struct {
	env

	in  In
	run step.Step[*generator[In, T], unit]
	box *mailbox[T]
}

func (g *generator[In, T]) begin(as step.Scope) step.Next[unit] { return step.Into(as, g.run, g) }

func (g *generator[In, T]) reported() bool { return g.box.finished() }

func (g *generator[In, T]) poll(room int) ([]T, error) {
	chunk, err := g.box.take(room)
	g.taken(len(chunk))
	return chunk, err
}

func (g *generator[In, T]) close(why error) {
	left := g.box.drain()
	g.taken(len(left))
	lose(g.env, left, why)
}

func (g *generator[In, T]) holds() int { return g.box.len() }
