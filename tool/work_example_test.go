package tool_test

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

var charge = flow.Named("charge", step.Await(func(_ context.Context, cents int) (string, error) {
	return fmt.Sprintf("paid %d", cents), nil
}))

// The test does the work of the steps.
func ExampleWithWork() {
	var loop *tooltest.Loop
	loop = tooltest.New(tooltest.WithHost(tool.WithWork(func(w tool.Work) (func(error), bool) {
		fmt.Println("take", w.Path, w.Name, w.In)
		done, err := loop.Deferred(time.Minute, func() { w.Done(w.Body.Call(w.Context, w.In)) })
		if err != nil {
			return nil, false
		}
		return func(cause error) {
			fmt.Println("stop:", cause)
			if loop.Cancel(done) {
				w.Done(w.In, cause)
			}
		}, true
	})))
	patient := flow.Start(context.Background(), loop, charge, 100)
	hasty := flow.Start(context.Background(), loop, flow.Timeout(time.Second, charge), 200)
	loop.Run()
	fmt.Println(patient.Result())
	_, err := hasty.Result()
	fmt.Println(err)
	// Output:
	// take 0 charge 100
	// take 0/0 charge 200
	// stop: Timeout: step 0 took longer than 1s
	// paid 100 <nil>
	// Timeout: step 0 took longer than 1s
}

// A deterministic loop refuses a completion by another goroutine, because its time can't be repeated.
func ExampleWithDeterministic() {
	loop := tooltest.New(tooltest.WithHost(tool.WithDeterministic()))
	wait := step.New(func(as step.Scope, _ int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) {
			completed := make(chan bool)
			go func() { completed <- done.Succeed(1) }()
			fmt.Println("completed:", <-completed) //stepvet:ignore it comes at once
		})
	})
	flow.Start(context.Background(), loop, wait, 0)
	loop.Run()
	fmt.Println("deterministic:", loop.Host().Deterministic(), "reported:", len(loop.Errors()))
	// Output:
	// completed: false
	// deterministic: true reported: 1
}

// The clock and the calendar are those of a game.
func ExampleWithStart() {
	began := time.Date(1815, time.June, 18, 11, 35, 0, 0, time.UTC)
	host := tool.NewHost(tool.TurnLimits{}, tool.WithStart(began), tool.WithClock(func() time.Duration { return 5 * time.Hour }))
	fmt.Println(host.Time(host.Now()).Format(time.TimeOnly))
	// Output: 16:35:00
}

// Host.Work asks the function given to WithWork.
func ExampleHost_Work() {
	host := tool.NewHost(tool.TurnLimits{}, tool.WithWork(func(w tool.Work) (func(error), bool) {
		return nil, w.Name == "charge"
	}))
	_, taken := host.Work(tool.Work{Name: "charge"})
	_, other := host.Work(tool.Work{Name: "ship"})
	_, plain := tool.NewHost(tool.TurnLimits{}).Work(tool.Work{Name: "charge"})
	fmt.Println(host.TakesWork(), taken, other, plain)
	// Output: true true false false
}

// A worker process lists the bodies that it may be asked to call.
func ExampleBody() {
	bodies := map[string]*tool.Body{}
	for place, body := range flow.Bodies(flow.Then(charge, step.Map(func(s string) int { return len(s) }))) {
		bodies[place.Name] = body
	}
	out, err := bodies["charge"].Call(context.Background(), reflect.ValueOf(300))
	fmt.Println(out, err)
	// Output: paid 300 <nil>
}
