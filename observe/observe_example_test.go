package observe_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// greet is the plan of the examples.
var greet = flow.Named("greet", flow.Then(
	flow.Named("trim", step.Map(strings.TrimSpace)),
	flow.Named("say", step.Func(func(_ step.Scope, name string) (string, error) {
		if name == "" {
			return "", errBad
		}
		return "Hello, " + name, nil
	})),
))

// The program's own observer lists the steps.
func ExampleFunc() {
	watcher := observe.Func(func(ctx context.Context, run observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			if e.Kind == observe.StepStart {
				fmt.Println(run.Name(), e.Path(), e.Label())
			}
		}
	})
	fmt.Println(flow.Run(observe.With(context.Background(), watcher), greet, " Ann "))
	// Output:
	// greet 0 greet
	// greet 0/0 trim
	// greet 0/1 say
	// Hello, Ann <nil>
}

// A program would use its own logger, and a level that is usually off.
func ExampleLog() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			switch a.Key {
			case "time", "level", "run", "at": // most of these differ from run to run
				return slog.Attr{}
			default:
				return a
			}
		},
	}))
	ctx := observe.With(context.Background(), observe.Log(logger, slog.LevelInfo))
	_, _ = flow.Run(ctx, greet, " ")
	// Output:
	// msg="step start" plan=greet step=greet path=0
	// msg="step start" plan=greet step=trim path=0/0
	// msg="step end" plan=greet step=trim path=0/0
	// msg="step start" plan=greet step=say path=0/1
	// msg=raised plan=greet step=say path=0/1 code=Bad info="bad luck"
	// msg="step end" plan=greet step=say path=0/1 code=Bad info="bad luck"
	// msg="step end" plan=greet step=greet path=0 code=Bad info="bad luck"
	// msg="run end" plan=greet code=Bad info="bad luck"
}

// The error of a run that took too long shows what the run was doing.
func ExampleFlight() {
	slow := flow.Named("page", flow.Timeout(time.Second, flow.Then(plantest.Delay("price", 300*time.Millisecond), plantest.Delay("stock", time.Hour))))
	loop := tooltest.New() // in virtual time
	run := flow.Start(observe.With(context.Background(), observe.Flight(5)), loop, slow, step.Unit{})
	loop.Run()
	_, err := run.Result()
	_, before, _ := strings.Cut(fmt.Sprintf("%+v", err), "what happened before:\n")
	fmt.Println(before)
	// Output:
	//     300ms     step start 0/1 "stock"
	//     300ms     suspended 0/1 "stock"
	//     1s        timed out 0 "page": Timeout: step 0 page took longer than 1s
	//     1s        step end 0/1 "stock": Timeout: step 0 page took longer than 1s
	//     1s        step end 0 "page": Timeout: step 0 page took longer than 1s
}

// A program writes the trace to a file, or serves it at /debug/pprof/trace with package net/http/pprof.
func ExampleTrace() {
	if err := trace.Start(io.Discard); err != nil {
		return // somebody else is taking a trace
	}
	defer trace.Stop()
	fmt.Println(flow.Run(observe.With(context.Background(), observe.Trace()), greet, "Ann"))
	// Output: Hello, Ann <nil>
}

// In the profile, the samples of each body have the labels of its step.
func ExampleProfile() {
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		return // somebody else is taking a profile
	}
	defer pprof.StopCPUProfile()
	fmt.Println(flow.Run(observe.With(context.Background(), observe.Profile()), greet, "Ann"))
	// Output: Hello, Ann <nil>
}

// Several observers see the same run.
func ExampleWith() {
	recorder := observe.NewRecorder(1000)
	ctx := context.Background()
	for _, o := range []observe.Observer{observe.Flight(32), recorder} {
		ctx = observe.With(ctx, o)
	}
	fmt.Println(flow.Run(ctx, greet, "Ann"))
	fmt.Println(len(recorder.Runs()), "run recorded")
	// Output:
	// Hello, Ann <nil>
	// 1 run recorded
}

func ExampleRecorder() {
	recorder := observe.NewRecorder(1000)
	_, _ = flow.Run(observe.With(context.Background(), recorder), greet, "Ann")
	for _, run := range recorder.Runs() {
		for _, e := range run.Entries {
			fmt.Println(e.Kind, e.Label())
		}
	}
	// Output:
	// step start greet
	// step start trim
	// step end trim
	// step start say
	// step end say
	// step end greet
	// run end
}

// From recorded events one can compute how long steps took.
func ExampleNewRecorder() {
	took := func(run observe.Recording, name string) (sum time.Duration) {
		named := func(e observe.Entry) bool { return e.Name == name }
		for _, e := range run.Entries {
			switch {
			case named(e) && e.Kind == observe.StepStart:
				sum -= e.At
			case named(e) && e.Kind == observe.StepEnd:
				sum += e.At
			}
		}
		return sum
	}
	recorder := observe.NewRecorder(1000)
	loop := tooltest.New() // in virtual time
	flow.Start(observe.With(context.Background(), recorder), loop, plantest.Delay("nap", time.Minute), step.Unit{})
	loop.Run()
	fmt.Println(took(recorder.Runs()[0], "nap"))
	// Output: 1m0s
}

// The caller knows the order, and a step finds out the number of items.
func ExampleWithAttrs() {
	items := flow.Named("items", step.Func(func(as step.Scope, order string) (int, error) {
		n := len(order)
		observe.SetAttrs(as.Context(), slog.Int("items", n))
		return n, nil
	}))
	ctx := observe.With(context.Background(), observe.Func(func(ctx context.Context, run observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) { fmt.Println(e.Kind, run.Attrs()) }
	}))
	ctx = observe.WithAttrs(ctx, slog.String("order", "A-17"))
	_, _ = flow.Run(ctx, flow.Of(items), "pen")
	// Output:
	// step start [order=A-17]
	// step end [order=A-17 items=3]
	// run end [order=A-17 items=3]
}

// An Await body sets attributes with the context that it gets.
func ExampleSetAttrs() {
	charge := step.Await(func(ctx context.Context, order string) (string, error) {
		observe.SetAttrs(ctx, slog.String("payment", "P-1 for "+order))
		return "paid", nil
	})
	ctx := observe.With(context.Background(), observe.Func(func(ctx context.Context, run observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			if e.Kind == observe.RunEnd {
				fmt.Println(run.Attrs())
			}
		}
	}))
	fmt.Println(flow.Run(ctx, flow.Of(charge), "A-17"))
	// Output:
	// [payment=P-1 for A-17]
	// paid <nil>
}

// The observer counts the runs of each plan.
func ExamplePlanID() {
	runs := make(map[observe.PlanID]int)
	count := observe.Func(func(ctx context.Context, run observe.Run) (context.Context, observe.Watch) {
		runs[run.PlanID()]++
		return ctx, nil
	})
	ctx := observe.With(context.Background(), count)
	for range 3 {
		_, _ = flow.Run(ctx, greet, "you")
	}
	for _, n := range runs {
		fmt.Println(n)
	}
	// Output: 3
}
