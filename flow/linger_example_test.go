package flow_test

import (
	"context"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The answer of the fast server is shown before the run ends: the run waits for the request to the slow one.
func ExampleLinger() {
	slow := flow.Shield(flow.Then(step.Delay[string](20*time.Millisecond), step.Map(func(string) string {
		fmt.Println("the slow request has ended")
		return "too late"
	})))
	quick := flow.Then(step.Delay[string](time.Millisecond), step.Map(func(q string) string { return q + " 42" }))
	shown := step.Map(func(answer string) string { fmt.Println("shown:", answer); return answer })

	race := flow.First(flow.Linger(time.Second, slow), flow.Linger(time.Second, quick))
	fmt.Println(flow.Run(context.Background(), flow.Then(race, shown), "answer:"))
	// Output:
	// shown: answer: 42
	// the slow request has ended
	// answer: 42 <nil>
}
