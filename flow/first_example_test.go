package flow_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A mirror that is down doesn't matter if another one answers.
func ExampleFirst() {
	down := step.Func(func(step.Scope, string) (string, error) { return "", errors.New("is down") })
	slow := flow.Then(step.Delay[string](time.Millisecond), step.Map(func(file string) string { return file + " from b" }))
	fmt.Println(flow.Run(context.Background(), flow.First(down, slow), "list.txt"))
	// Output: list.txt from b <nil>
}

// Two of three copies are enough; the result has them in the order in which they were written.
func ExampleSome() {
	writes := func(name string, takes time.Duration) step.Step[int, string] {
		return flow.Then(step.Delay[int](takes), step.Map(func(int) string { return name }))
	}
	quorum := flow.Some(2, writes("a", 20*time.Millisecond), writes("b", time.Minute), writes("c", 0))
	fmt.Println(flow.Run(context.Background(), quorum, 42))
	// Output: [c a] <nil>
}

// Work goes on until a stop is requested.
func ExampleRace() {
	stop := make(chan string, 1)
	work := flow.Then(step.Delay[string](time.Minute), step.Map(func(string) string { return "done" }))
	stopped := flow.AwaitChan(func(context.Context, string) <-chan string { return stop })
	stop <- "stopped"
	fmt.Println(flow.Run(context.Background(), flow.Race(work, stopped), ""))
	// Output: stopped <nil>
}

// Each branch gives a text, so that their results have the same type.
func ExampleRace_types() {
	price := flow.Then(step.Delay[string](time.Minute), step.Map(func(item string) int { return len(item) }))
	priced := flow.Then(price, step.Map(func(cents int) string { return fmt.Sprint(cents, " cents") }))
	late := flow.Then(step.Delay[string](time.Millisecond), flow.Value[string]("ask for the price"))
	fmt.Println(flow.Run(context.Background(), flow.Race(priced, late), "teapot"))
	// Output: ask for the price <nil>
}

// The second server is asked because the first one hasn't answered after 5 ms.
func ExampleHedge() {
	ask := func(server string, takes time.Duration) step.Step[string, string] {
		answer := step.Map(func(question string) string { return question + " " + server })
		return flow.Then(step.Delay[string](takes), answer)
	}
	hedged := flow.Hedge(5*time.Millisecond, ask("a", time.Minute), ask("b", 0))
	fmt.Println(flow.Run(context.Background(), hedged, "who?"))
	// Output: who? b <nil>
}

// The other server is asked after the initial time, because no calls were measured yet.
func ExampleHedgeSlow() {
	usual := flow.NewLatency(0.95, 5*time.Millisecond)
	ask := func(server string, takes time.Duration) step.Step[string, string] {
		answer := step.Map(func(question string) string { return question + " " + server })
		return flow.Then(step.Delay[string](takes), answer)
	}
	hedged := flow.HedgeSlow(usual, ask("a", time.Minute), ask("b", 0))
	fmt.Println(flow.Run(context.Background(), hedged, "who?"))
	// Output: who? b <nil>
}

// A Latency starts with the initial time, and learns after each 32 calls.
func ExampleNewLatency() {
	usual := flow.NewLatency(0.9, time.Second)
	call := step.DelayBy(func(_ step.Scope, ms int) time.Duration { return time.Duration(ms) * time.Millisecond })
	plan := flow.HedgeSlow(usual, call, call)
	fmt.Println(usual.Slow())

	loop := tooltest.New() // in virtual time
	for i := range 256 {
		flow.Start(context.Background(), loop, plan, i%10+1)
		loop.Run()
	}
	fmt.Println(usual.Slow())
	// Output:
	// 1s
	// 9ms
}

func ExampleLatency_Err() {
	fmt.Println(flow.NewLatency(95, time.Second).Err())
	// Output: InvalidRequest: Latency: the quantile must be between 0 and 1, got 95
}

func ExampleLatency_Slow() {
	usual := flow.NewLatency(0.5, 30*time.Millisecond)
	fmt.Println("hedged after", usual.Slow())
	// Output: hedged after 30ms
}
