package tool_test

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// debounce returns a function to call for each event. fn runs when there was no event for the time quiet.
func debounce(t tool.Tool, quiet time.Duration, fn func()) func() {
	var last tool.Handle
	return func() {
		t.Cancel(last) // does nothing if the callback has run already
		last, _ = t.Deferred(quiet, fn)
	}
}

// A text is saved when the typing stops.
func ExampleTool() {
	loop := tooltest.New()
	typed := debounce(loop, time.Second, func() { fmt.Println("saved after", loop.Now()) })
	for range 3 {
		typed()
		loop.Advance(900 * time.Millisecond)
	}
	loop.Advance(time.Hour)
	// Output: saved after 2.8s
}

// A handle is valid until its callback begins or is cancelled.
func ExampleHandle() {
	m := tool.NewManual(tool.Options{})
	var self tool.Handle
	self, _ = m.Immediate(func() { fmt.Println("inside:", m.Valid(self)) })
	other, _ := m.Immediate(func() { fmt.Println("never printed") })

	fmt.Println("before:", m.Valid(self), m.Valid(other))
	fmt.Println("taken back:", m.Cancel(other), m.Cancel(other))
	m.Iterate()
	fmt.Println("after:", m.Valid(self))
	// Output:
	// before: true true
	// taken back: true false
	// inside: false
	// after: false
}

// The loop takes one turn for each call of Iterate.
func ExampleNewManual() {
	m := tool.NewManual(tool.Options{})
	_, _ = m.Immediate(func() {
		fmt.Println("first turn")
		_, _ = m.Immediate(func() { fmt.Println("second turn") })
	})
	for m.Iterate() {
		fmt.Println("--")
	}
	// Output:
	// first turn
	// --
	// second turn
	// --
}

// Without a number a group has as many loops as the program has processors.
func ExampleNewGroup() {
	g := tool.NewGroup(0, tool.Options{})
	fmt.Println(len(g.Loops()) == runtime.GOMAXPROCS(0))
	fmt.Println(g.Next().InLoop())
	fmt.Println(g.Shutdown(context.Background()))
	// Output:
	// true
	// false
	// <nil>
}
