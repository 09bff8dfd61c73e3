package tool_test

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// A game runs its callbacks. A panic of one callback doesn't affect the others.
func ExampleNewHost() {
	host := tool.NewHost(tool.TurnLimits{}, tool.WithOnError(func(err error) { fmt.Println("reported:", err) }))
	for _, callback := range []func(){
		func() { fmt.Println("move") },
		func() { panic("no such sprite") },
		func() { fmt.Println("draw") },
	} {
		host.Call(callback)
	}
	// Output:
	// move
	// reported: tool: callback panicked: no such sprite
	// draw
}

// The clock of a game counts pictures, sixty a second.
func ExampleWithClock() {
	pictures := 0
	host := tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration {
		return time.Duration(pictures) * time.Second / 60
	}))
	pictures += 90
	fmt.Println(host.Now())
	// Output: 1.5s
}

// With a fixed source, random pauses are the same in each test.
func ExampleWithRand() {
	host := tool.NewHost(tool.TurnLimits{}, tool.WithRand(func() uint64 { return 6 }))
	fmt.Println(host.Rand(), host.Rand())
	// Output: 6 6
}

// A log of the program's own tells what was ended as planned from defects, as the default does.
func ExampleLevel() {
	log := func(err error) { fmt.Println(tool.Level(err), err) }
	host := tool.NewHost(tool.TurnLimits{}, tool.WithOnError(log))
	host.Report(tool.ErrShutdown)
	host.Report(errors.New("disk full"))
	// Output:
	// WARN tool: loop is shut down
	// ERROR disk full
}

// The program handles errors for which nobody waits.
func ExampleWithOnError() {
	host := tool.NewHost(tool.TurnLimits{}, tool.WithOnError(func(err error) {
		if stall, ok := errors.AsType[tool.Stall](err); ok {
			fmt.Println("slow:", stall.For)
			return
		}
		fmt.Println("broken:", err)
	}))
	host.Report(tool.Stall{For: 3 * time.Second})
	host.Report(errors.New("a goroutine was left behind"))
	// Output:
	// slow: 3s
	// broken: a goroutine was left behind
}

// The function given to WithAt hears which step is executed next.
func ExampleWithAt() {
	host := tool.NewHost(tool.TurnLimits{}, tool.WithAt(func(where fmt.Stringer) { fmt.Println("at", where) }))
	host.Turn().At(time.Second) // a run calls it with the place of a step
	// Output: at 1s
}

// Goroutines of steps that are cancelled on this loop have ten seconds to return.
func ExampleWithGrace() {
	fmt.Println(tool.NewHost(tool.TurnLimits{}).Grace() == tool.DefaultGrace)
	fmt.Println(tool.NewHost(tool.TurnLimits{}, tool.WithGrace(10*time.Second)).Grace())
	// Output:
	// true
	// 10s
}

// A host that drains refuses new runs, and reports when the last one has left.
func ExampleHost_Drain() {
	host := tool.NewHost(tool.TurnLimits{})
	upload := &tool.Registration{Stop: func(error) {}}
	fmt.Println(host.Attach(upload), host.Live())

	empty := host.Drain()
	fmt.Println(host.Attach(&tool.Registration{Stop: func(error) {}}))
	host.Detach(upload)
	<-empty
	fmt.Println(host.Live())
	// Output:
	// <nil> 1
	// tool: loop is shut down
	// 0
}

// A host that drains still registers what its own runs ask for.
func ExampleHost_AttachFor() {
	host := tool.NewHost(tool.TurnLimits{})
	upload := &tool.Registration{Stop: func(error) {}}
	fmt.Println(host.Attach(upload))

	empty := host.Drain()
	load := &tool.Registration{Stop: func(error) {}}
	fmt.Println(host.AttachFor(load, host))
	host.Detach(upload)
	host.Detach(load)
	<-empty
	fmt.Println(host.AttachFor(load, host))
	fmt.Println(host.Stopped()) // nobody has called Stop
	// Output:
	// <nil>
	// <nil>
	// tool: loop is shut down
	// false
}

// NewHost fills in the defaults.
func ExampleTurnLimits() {
	fmt.Println(tool.NewHost(tool.TurnLimits{}).Turn())
	fmt.Println(tool.NewHost(tool.TurnLimits{Steps: 1}).Turn().Steps)
	// Output:
	// {100 1ms <nil> <nil>}
	// 1
}

// If the value of a panic is an error, errors.Is finds it.
func ExamplePanicError() {
	host := tool.NewHost(tool.TurnLimits{}, tool.WithOnError(func(err error) {
		panicked, _ := errors.AsType[*tool.PanicError](err)
		fmt.Println(panicked.Value, len(panicked.Stack) > 0)
		fmt.Println(errors.Is(err, fs.ErrNotExist))
	}))
	host.Call(func() { panic(fmt.Errorf("settings: %w", fs.ErrNotExist)) })
	// Output:
	// settings: file does not exist true
	// true
}
