package tool_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

func ExampleStart() {
	l := tool.Start(tool.Options{})
	ticked := make(chan struct{})
	_, _ = l.Deferred(10*time.Millisecond, func() {
		fmt.Println("tick")
		close(ticked)
	})
	<-ticked
	fmt.Println(l.Shutdown(context.Background()))
	_, err := l.Immediate(func() {})
	fmt.Println(errors.Is(err, tool.ErrShutdown))
	// Output:
	// tick
	// <nil>
	// true
}

func ExampleOptions() {
	l := tool.Start(tool.Options{OnError: func(err error) { fmt.Println(err) }})
	_, _ = l.Immediate(func() { panic("oops") })
	_, _ = l.Immediate(func() { fmt.Println("still here") })
	fmt.Println(l.Shutdown(context.Background()))
	// Output:
	// tool: callback panicked: oops
	// still here
	// <nil>
}

// The calling goroutine drives the loop until nothing is queued.
func ExampleManual() {
	m := tool.NewManual(tool.Options{})
	_, _ = m.Deferred(time.Millisecond, func() { fmt.Println("second") })
	_, _ = m.Immediate(func() { fmt.Println("first") })
	for {
		if m.Iterate() {
			continue
		}
		if _, more := m.Next(); !more {
			break
		}
		if err := m.Wait(context.Background()); err != nil {
			fmt.Println(err)
			return
		}
	}
	// Output:
	// first
	// second
}

// The Manual is part of another event loop, which has events of its own.
func ExampleManual_Wake() {
	m := tool.NewManual(tool.Options{})
	events := make(chan string, 1)
	quit := make(chan struct{})
	_, _ = m.Deferred(time.Millisecond, func() {
		fmt.Println("timer")
		events <- "event"
	})

	alarm := time.NewTimer(time.Hour)
	for {
		for m.Iterate() {
		}
		var due <-chan time.Time
		if d, ok := m.Next(); ok {
			alarm.Reset(d)
			due = alarm.C
		}
		select {
		case <-due:
		case <-m.Wake():
		case e := <-events:
			fmt.Println(e)
			go func() { _, _ = m.Immediate(func() { close(quit) }) }()
		case <-quit:
			return
		}
	}
	// Output:
	// timer
	// event
}

// Shutdown waits for a registered run, or tells it to end.
func ExampleRegistration() {
	l := tool.Start(tool.Options{})
	registration := &tool.Registration{}
	registration.Stop = func(cause error) {
		_, _ = l.Immediate(func() {
			fmt.Println(cause)
			l.Host().Detach(registration)
		})
	}
	fmt.Println(l.Host().Attach(registration))

	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Millisecond, errors.New("going home"))
	defer cancel()
	fmt.Println(l.Shutdown(ctx))
	// Output:
	// <nil>
	// tool: loop is shut down: going home
	// tool: loop is shut down: going home
}

func ExampleGroup() {
	g := tool.NewGroup(2, tool.Options{})
	done := make(chan struct{})
	for range 2 {
		_, _ = g.Next().Immediate(func() { done <- struct{}{} })
	}
	<-done
	<-done
	fmt.Println(g.Shutdown(context.Background()))
	// Output: <nil>
}

// The watchdog names the step that blocks its loop.
func ExampleWatchdog() {
	stalled := make(chan struct{})
	l := tool.Start(tool.Options{Watchdog: tool.Watchdog{
		After: 10 * time.Millisecond,
		Report: func(s tool.Stall) {
			fmt.Println("blocked by", s.Where)
			close(stalled)
		},
	}})
	_, _ = l.Immediate(func() {
		l.Host().Turn().At(place("0/load")) // a run does this before each step
		<-stalled
	})
	fmt.Println(l.Shutdown(context.Background()))
	// Output:
	// blocked by 0/load
	// <nil>
}
