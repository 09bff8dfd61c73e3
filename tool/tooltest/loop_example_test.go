package tooltest_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// The run times out after a quarter of an hour of virtual time, and is then no longer on the loop.
func ExampleNew() {
	l := tooltest.New()
	silent := step.New(func(as step.Scope, _ string) step.Next[string] { return step.Wait[string](as, nil) })
	run := flow.Start(context.Background(), l, flow.Timeout(15*time.Minute, silent), "hello?")
	fmt.Println("runs:", l.Host().Live())
	l.Run()
	_, err := run.Result()
	fmt.Println(errors.Is(err, fault.Timeout), "at", l.Now())
	fmt.Println("runs:", l.Host().Live())
	// Output:
	// runs: 1
	// true at 15m0s
	// runs: 0
}

// The chooser takes the newest callback.
func ExampleWithChooser() {
	l := tooltest.New(tooltest.WithChooser(func(n int) int { return n - 1 }))
	for _, name := range []string{"a", "b", "c"} {
		_, _ = l.Immediate(func() { fmt.Print(name, " ") })
	}
	l.Run()
	// Output: c b a
}

// The ticker never ends, but WithLimit ends Run and reports an error.
func ExampleWithLimit() {
	l := tooltest.New(tooltest.WithLimit(100))
	var tick func()
	tick = func() { _, _ = l.Deferred(time.Second, tick) }
	tick()
	fmt.Println(l.Run(), "ticks by", l.Now())
	fmt.Println(errors.Is(l.Errors()[0], tooltest.ErrLimit))
	// Output:
	// 100 ticks by 1m40s
	// true
}

// Between two steps the test looks at what waits.
func ExampleLoop_Step() {
	l := tooltest.New()
	_, _ = l.Immediate(func() { fmt.Println("callback: in the loop", l.InLoop()) })
	reminder, _ := l.Deferred(time.Hour, func() { fmt.Println("never printed") })

	fmt.Println("waiting:", l.Pending())
	fmt.Println("stepped:", l.Step())
	fmt.Println("waiting:", l.Pending(), "reminder:", l.Valid(reminder))
	fmt.Println("cancelled:", l.Cancel(reminder), "stepped:", l.Step())
	// Output:
	// waiting: 2
	// callback: in the loop true
	// stepped: true
	// waiting: 1 reminder: true
	// cancelled: true stepped: false
}

// RunUntil stops although the ticker would go on.
func ExampleLoop_RunUntil() {
	l := tooltest.New()
	ticks := 0
	var tick func()
	tick = func() {
		ticks++
		_, _ = l.Deferred(time.Minute, tick)
	}
	tick()
	fmt.Println(l.RunUntil(func() bool { return ticks == 61 }), l.Now())
	// Output: true 1h0m0s
}

// Errors returns what a real loop would log.
func ExampleLoop_Errors() {
	l := tooltest.New()
	_, _ = l.Immediate(func() { panic("oops") })
	_, _ = l.Immediate(func() { fmt.Println("still here") })
	l.Run()
	for _, err := range l.Errors() {
		panicked, _ := errors.AsType[*tool.PanicError](err)
		fmt.Println("panic:", panicked.Value)
	}
	// Output:
	// still here
	// panic: oops
}

// The timer becomes due while a callback is still ready.
func ExampleLoop_Lag() {
	l := tooltest.New()
	_, _ = l.Immediate(func() { fmt.Println("callback at", l.Now()) })
	_, _ = l.Deferred(time.Second, func() { fmt.Println("timer at", l.Now()) })

	fmt.Println("the timer is due in", l.Ahead())
	l.Lag(l.Ahead() + time.Minute)
	fmt.Println("it was due before", l.Now())
	l.Run()
	// Output:
	// the timer is due in 1s
	// it was due before 1m1s
	// callback at 1m1s
	// timer at 1m1s
}

// The function given to WithWork counts the work and declines it.
func ExampleWithHost() {
	asked := 0
	l := tooltest.New(tooltest.WithHost(tool.WithWork(func(tool.Work) (func(error), bool) {
		asked++
		return nil, false
	})))
	call := flow.Named("length", flow.Call(step.Map(func(s string) int { return len(s) })))
	run := flow.Start(context.Background(), l, call, "abc")
	l.Run()
	out, err := run.Result()
	fmt.Println(out, err, "asked:", asked)
	// Output: 3 <nil> asked: 1
}
