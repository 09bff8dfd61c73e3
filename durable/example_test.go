package durable_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var errDeclined = errors.New("card declined")

type approval struct{ By string }

var pay = flow.Named("pay", step.Await(func(_ context.Context, cents int) (string, error) {
	if cents > 1000 {
		return "", errDeclined
	}
	return fmt.Sprintf("paid %d", cents), nil
}))

func local[In, Out any](w *durable.Workflow[In, Out], in In) {
	ctx := context.Background()
	on, loop := durable.Local()
	defer func() { _ = loop.Shutdown(ctx) }()
	run, err := w.Start(ctx, on, "run-1", in)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Wait(ctx))
}

func ExampleNew() {
	payments := durable.New("payments", pay)
	fmt.Println(payments.Name(), payments.Err())
	fmt.Println(durable.New("", pay).Err())
	local(payments, 500)
	// Output:
	// payments <nil>
	// InvalidRequest: the workflow has no name
	// paid 500 <nil>
}

// Local runs workflows without a server, for development and for tests.
func ExampleLocal() {
	ctx := context.Background()
	on, loop := durable.Local()
	payments := durable.New("payments", pay)
	first, err := payments.Start(ctx, on, "payment-17", 500)
	fmt.Println(first.ID(), err)
	again, err := payments.Start(ctx, on, "payment-17", 900) // refers to the first run of that id
	fmt.Println(again.Wait(ctx))
	fmt.Println(payments.Attach(on, "payment-17").Wait(ctx))
	_, missing := payments.Attach(on, "payment-18").Wait(ctx)
	fmt.Println(err, errors.Is(missing, durable.ErrNoRun), loop.Shutdown(ctx))
	// Output:
	// payment-17 <nil>
	// paid 500 <nil>
	// paid 500 <nil>
	// <nil> true <nil>
}

// Also names a plan that a body enters by step.Into, so that the bodies of that plan can be found by name.
func ExampleAlso() {
	dear := step.New(func(as step.Scope, cents int) step.Next[string] { return step.Into(as, pay, cents) })
	local(durable.New("payments", dear, durable.Also("pay", pay)), 500)
	// Output: paid 500 <nil>
}

// Errors gives an error a name, by which errors.Is finds it in another process.
func ExampleErrors() {
	payments := durable.New("payments", pay, durable.Errors(map[string]error{"declined": errDeclined}))
	ctx := context.Background()
	on, loop := durable.Local()
	defer func() { _ = loop.Shutdown(ctx) }()
	run, err := payments.Start(ctx, on, "payment-17", 5000)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = run.Wait(ctx)
	fmt.Println(errors.Is(err, errDeclined))
	// Output: true
}

// Key is the same when a call of a body is repeated.
func ExampleKey() {
	keyed := step.Await(func(ctx context.Context, _ int) (string, error) { return durable.Key(ctx), nil })
	local(durable.New("payments", flow.Then(step.Map(func(n int) int { return n }), keyed)), 500)
	// Output: run-1/1#1 <nil>
}

// A run waits for an answer from outside.
func ExampleSignal() {
	ctx := context.Background()
	on, loop := durable.Local()
	defer func() { _ = loop.Shutdown(ctx) }()
	asks := durable.New("asks", flow.Timeout(72*time.Hour, durable.Signal[approval]("approval")))
	run, err := asks.Start(ctx, on, "ask-1", struct{}{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(durable.Send(ctx, run, "approval", approval{"Ann"}))
	fmt.Println(run.Wait(ctx))
	// Output:
	// <nil>
	// {Ann} <nil>
}

// Signals are kept until a step waits for them.
func ExampleSend() {
	ctx := context.Background()
	on, loop := durable.Local()
	defer func() { _ = loop.Shutdown(ctx) }()
	both := flow.Then(durable.Signal[int]("n"), flow.Then(flow.Carry(flow.Then(step.Map(func(int) struct{} { return struct{}{} }), durable.Signal[int]("n"))),
		step.Map(func(p flow.Pair[int, int]) int { return p.A*10 + p.B })))
	run, err := durable.New("sums", both).Start(ctx, on, "sum-1", struct{}{})
	for n := 1; err == nil && n <= 2; n++ {
		err = durable.Send(ctx, run, "n", n)
	}
	fmt.Println(err)
	fmt.Println(run.Wait(ctx))
	// Output:
	// <nil>
	// 12 <nil>
}

// A run begins anew with In of its result, so that its history stays short.
func ExampleAgain() {
	count := step.Await(func(_ context.Context, n int) (int, error) { return n + 1, nil })
	anew := step.Map(func(n int) durable.Again[int] { return durable.Again[int]{In: n, More: n < 3} })
	local(durable.New("counts", flow.Then(count, anew)), 0)
	// Output: {3 false} <nil>
}

// A run of this plan begins anew before its history becomes too long. A plan that lives for years would leave More true.
func ExampleLoop() {
	poll := step.Await(func(_ context.Context, seen int) (int, error) { return seen + 1, nil })
	turn := flow.Then(poll, step.Map(func(seen int) durable.Again[int] {
		return durable.Again[int]{In: seen, More: seen < 5000}
	}))
	local(durable.New("watch", durable.Loop(turn)), 0)
	// Output: {5000 false} <nil>
}

func ExampleRun_Place() {
	ctx := context.Background()
	on, loop := durable.Local()
	defer func() { _ = loop.Shutdown(ctx) }()
	run, err := durable.New("asks", durable.Signal[int]("answer")).Start(ctx, on, "ask-1", struct{}{})
	place := ""
	for place == "" && err == nil {
		place, err = run.Place(ctx)
	}
	fmt.Print(place)
	picture, err := run.Picture(ctx)
	fmt.Println(len(picture) > 0, err)
	fmt.Println(run.Cancel(ctx))
	_, err = run.Wait(ctx)
	fmt.Println(errors.Is(err, context.Canceled))
	// Output:
	// 0 answer
	// true <nil>
	// <nil>
	// true
}

// Heartbeat sets how soon the loss of a worker is noticed.
func ExampleHeartbeat() {
	fmt.Println(durable.New("payments", pay, durable.Heartbeat(time.Millisecond)).Err())
	// Output: InvalidRequest: durable.Heartbeat: 1ms is below a second
}

// Longest sets how long one call of a body may take.
func ExampleLongest() {
	fmt.Println(durable.New("payments", pay, durable.Longest(0)).Err())
	// Output: InvalidRequest: durable.Longest: 0s is not positive
}

// Grace sets how long a cancelled run on a server waits for its bodies. On a local engine it waits without limit.
func ExampleGrace() {
	local(durable.New("payments", pay, durable.Grace(time.Minute)), 500)
	// Output: paid 500 <nil>
}

// SearchAttribute names an attribute of runs, whose value is the step that the run waits for. A local engine has no attributes.
func ExampleSearchAttribute() {
	local(durable.New("payments", pay, durable.SearchAttribute("Stands")), 500)
	// Output: paid 500 <nil>
}
