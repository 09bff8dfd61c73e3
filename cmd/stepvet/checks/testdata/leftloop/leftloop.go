// Package leftloop leaves loops behind.
package leftloop

import (
	"context"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

var plan = step.Map(func(in int) int { return in })

func left(ctx context.Context) (int, error) {
	loop := tool.Start(tool.Options{}) // want `the loop of tool.Start is never shut down`
	return flow.Start(ctx, loop, plan, 1).Wait(ctx)
}

func group(ctx context.Context) {
	loops := tool.NewGroup(4, tool.Options{}) // want `the loop of tool.NewGroup is never shut down`
	flow.Start(ctx, loops.Next(), plan, 1)
}

func thrown() {
	tool.Start(tool.Options{})     // want `the loop of tool.Start is never shut down`
	_ = tool.Start(tool.Options{}) // want `the loop of tool.Start is never shut down`
}

func ended(ctx context.Context) (int, error) {
	loop := tool.Start(tool.Options{})
	defer loop.Shutdown(ctx)
	return flow.Start(ctx, loop, plan, 1).Wait(ctx)
}

func inCleanup(cleanup func(func())) {
	loop := tool.Start(tool.Options{})
	cleanup(func() { loop.Shutdown(context.Background()) })
}

func asValue(cleanup func(func(context.Context) error)) {
	loop := tool.Start(tool.Options{})
	cleanup(loop.Shutdown)
}

func returned() *tool.Loop {
	loop := tool.Start(tool.Options{})
	return loop
}

func given(ctx context.Context) {
	loop := tool.Start(tool.Options{})
	end(ctx, loop)
}

func end(ctx context.Context, l *tool.Loop) { _ = l.Shutdown(ctx) }

type server struct{ loop *tool.Loop }

func (s *server) start() {
	s.loop = tool.Start(tool.Options{})
	kept := &server{loop: tool.Start(tool.Options{})}
	_ = kept
	var loop *tool.Loop
	loop = tool.Start(tool.Options{})
	s.loop = loop
}

func all(ctx context.Context) {
	loops := tool.NewGroup(4, tool.Options{})
	for _, l := range loops.Loops() {
		_ = l.Shutdown(ctx)
	}
}

func early(ctx context.Context) error {
	loop := tool.Start(tool.Options{})
	if err := ctx.Err(); err != nil {
		return err // want `the loop of tool.Start isn't shut down on this return`
	}
	flow.Start(ctx, loop, plan, 1)
	func() { return }()
	defer loop.Shutdown(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return nil
}

func endedEarly(ctx context.Context, ready bool) error {
	if !ready {
		return nil
	}
	loops := tool.NewGroup(2, tool.Options{})
	if err := ctx.Err(); err != nil {
		_ = loops.Shutdown(ctx)
		return err
	}
	return loops.Shutdown(ctx)
}

func inBranch(ctx context.Context, ready bool) error {
	if ready {
		var loop = tool.Start(tool.Options{})
		defer loop.Shutdown(ctx)
	} else {
		return ctx.Err()
	}
	return nil
}

func handed(ctx context.Context, keep func(*tool.Loop)) error {
	loop := tool.Start(tool.Options{})
	keep(loop)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return loop.Shutdown(ctx)
}

func inLiteral(ctx context.Context) func() error {
	return func() error {
		loop := tool.Start(tool.Options{})
		if ctx.Err() != nil {
			return ctx.Err() // want `the loop of tool.Start isn't shut down on this return`
		}
		return loop.Shutdown(ctx)
	}
}

func atOnce(ctx context.Context) {
	flow.Start(ctx, tool.Start(tool.Options{}), plan, 1)              // want `the loop of tool.Start is never shut down`
	flow.Start(ctx, tool.NewGroup(2, tool.Options{}).Next(), plan, 1) // want `the loop of tool.NewGroup is never shut down`
}

func counted(ctx context.Context) int {
	loops := tool.NewGroup(4, tool.Options{}) // want `the loop of tool.NewGroup is never shut down`
	for _, l := range loops.Loops() {
		flow.Start(ctx, l, plan, 1)
	}
	for range loops.Loops() {
		flow.Start(ctx, loops.Next(), plan, 1)
	}
	return len(loops.Loops())
}

func listed() []*tool.Loop {
	loops := tool.NewGroup(4, tool.Options{})
	return loops.Loops()
}

func declared(ctx context.Context) {
	var loop = tool.Start(tool.Options{}) // want `the loop of tool.Start is never shut down`
	flow.Start(ctx, loop, plan, 1)
}

// A fix can't defer in a header.
func inHeader(ctx context.Context) (int, error) {
	if loop := tool.Start(tool.Options{}); ctx.Err() == nil { // want `the loop of tool.Start is never shut down`
		return flow.Start(ctx, loop, plan, 1).Wait(ctx)
	}
	switch loop := tool.Start(tool.Options{}); { // want `the loop of tool.Start is never shut down`
	default:
		return flow.Start(ctx, loop, plan, 2).Wait(ctx)
	}
}
