// Command ways executes the ways of docs/internals/architecture.md, except that of a timeout, for the test that builds it with
// counters. Its arguments are a folder and a number. It executes each way once, to warm up, and then as many times as the number
// says. How often each statement was executed in these repetitions is written into a subfolder with the name of the way.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/counters"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

func main() {
	if err := execute(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func execute(folder, times string) error {
	n, err := strconv.Atoi(times)
	if err != nil {
		return err
	}
	loop := tool.Start(tool.Options{})
	for _, way := range []struct {
		name string
		goes func() error
	}{
		{"value", run(step.Map(func(in int) int { return in + 1 }))},
		{"error", run(flow.Catch(
			step.Func(func(step.Scope, int) (int, error) { return 0, fault.New("Bad", "") }),
			func(step.Scope, error) step.Next[int] { return step.Succeed(0) }))},
		{"sub-steps", run(into())},
		{"start", start(loop)},
		{"wait", wait(loop)},
	} {
		if err := way.goes(); err != nil { // the first time allocates memory and compiles the plan
			return err
		}
		err := counters.Write(filepath.Join(folder, way.name), func() error {
			for range n {
				if err := way.goes(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return loop.Shutdown(context.Background())
}

func run(plan step.Step[int, int]) func() error {
	return func() error {
		_, err := flow.Run(context.Background(), plan, 0)
		return err
	}
}

func into() step.Step[int, int] {
	inner := step.Map(func(in int) int { return in + 1 })
	return step.New(func(as step.Scope, in int) step.Next[int] { return step.Into(as, inner, in) })
}

// start returns the way of a run on a loop that has its own goroutine.
func start(loop *tool.Loop) func() error {
	plan := step.Map(func(in int) int { return in + 1 })
	return func() error {
		_, err := flow.Start(context.Background(), loop, plan, 0).Wait(context.Background())
		return err
	}
}

// wait returns the way of a step that waits until another goroutine completes it, in a run on a loop that has its own goroutine.
func wait(loop *tool.Loop) func() error {
	completes := make(chan step.Done[int], 1)
	plan := step.New(func(as step.Scope, _ int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) { completes <- done }) //stepvet:ignore the channel has room
	})
	return func() error {
		running := flow.Start(context.Background(), loop, plan, 0)
		(<-completes).Succeed(0)
		_, err := running.Wait(context.Background())
		return err
	}
}
