package observe_test

import (
	"context"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// At an error that was raised, an event tells the step, the steps that hold it, and where it was built.
func ExampleEvent() {
	watcher := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			switch {
			case !e.IsStep():
				fmt.Println(e.Kind)
			case e.Kind == observe.Raised:
				fmt.Println(e.StepKind(), e.Name(), e.Site().File != "")
				for _, level := range e.Stack() {
					fmt.Println("  in", level.Path, level.Kind, level.Name)
				}
			}
		}
	})
	_, _ = flow.Run(observe.With(context.Background(), watcher), greet, "")
	// Output:
	// func say true
	//   in 0/1 func say
	//   in 0 group greet
	// run end
}

// Plan describes the plan of a run, and Site tells where it was built.
func ExampleRun_Plan() {
	watcher := observe.Func(func(ctx context.Context, run observe.Run) (context.Context, observe.Watch) {
		for tree := range run.Plan().All() {
			fmt.Printf("%q %s\n", tree.Path, tree.Kind)
		}
		fmt.Println(run.Site().File != "")
		return ctx, nil // no Watch: this run isn't observed any further
	})
	_, _ = flow.Run(observe.With(context.Background(), watcher), greet, "Ann")
	// Output:
	// "" plan
	// "0" group
	// "0/0" map
	// "0/1" func
	// true
}

// With IsSection an observer counts how often a guard makes runs wait.
func ExampleIsSection() {
	printer := syncx.NewMutex(1, -1)
	queued := 0
	watcher := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			if e.Kind == observe.Queued && observe.IsSection(e, printer) {
				queued++
			}
		}
	})
	ctx := observe.With(context.Background(), watcher)
	page := syncx.Sync(printer, plantest.Delay("print", time.Second))
	loop := tooltest.New()
	for range 5 {
		flow.Start(ctx, loop, page, step.Unit{})
	}
	loop.Run()
	fmt.Println(queued)
	// Output: 4
}

func ExampleEvent_Attempt() {
	watcher := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			if e.StepKind() == "attempt" && e.Kind == observe.StepStart {
				n, most := e.Attempt()
				fmt.Printf("attempt %d of %d\n", n, most)
			}
		}
	})
	greets := retry.Of(retry.Policy{Tries: 5}, greet)
	_, _ = flow.Run(observe.With(context.Background(), watcher), greets, "Ann")
	// Output: attempt 1 of 5
}

// Winners tells whether the second request of a hedge has won.
func ExampleEvent_Winners() {
	watcher := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			if won := e.Winners(); won != nil {
				fmt.Printf("%s: branch %d has won\n", e.Label(), won[0])
			}
		}
	})
	slow, quick := plantest.Delay("slow", time.Minute), plantest.Delay("quick", time.Second)
	loop := tooltest.New()
	flow.Start(observe.With(context.Background(), watcher), loop, flow.Hedge(10*time.Second, slow, quick), step.Unit{})
	loop.Run()
	// Output: hedge: branch 1 has won
}

// Cancelled tells a step that has failed from the steps that its error has cancelled.
func ExampleEvent_Cancelled() {
	watcher := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			if e.Kind == observe.StepEnd {
				fmt.Println(e.Label(), e.Cancelled(), e.Err)
			}
		}
	})
	limited := flow.Timeout(time.Second, plantest.Delay("slow", time.Minute))
	loop := tooltest.New()
	flow.Start(observe.With(context.Background(), watcher), loop, limited, step.Unit{})
	loop.Run()
	// Output:
	// slow true Timeout: step 0 took longer than 1s
	// timeout false Timeout: step 0 took longer than 1s
}

func left(s observe.Stage) string { return fmt.Sprint(s.Label(), ": ", s.Held, " of ", s.In) }

// Stages reports how far a stream has got.
func ExampleEvent_Stages() {
	watcher := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			stages, last := e.Stages()
			for _, s := range stages {
				if s.Kind == "through" {
					fmt.Println(e.At, left(s), last)
				}
			}
		}
	})
	naps := stream.Through(stream.Slice[int](), stream.Bound{Limit: 1}, step.Delay[int](60*time.Millisecond))
	loop := tooltest.New()
	flow.Start(observe.With(context.Background(), watcher), loop, stream.Collect(naps), []int{1, 2})
	loop.Run()
	// Output:
	// 100ms through.1: 1 of 2 false
	// 120ms through.1: 0 of 2 true
}
