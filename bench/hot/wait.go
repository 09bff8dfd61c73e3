package main

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// waiter is what steps that wait share. Its functions are made once, so that
// they aren't counted; one step may wait at a time.
type waiter struct {
	done     step.Done[int]
	v        int
	complete func()
	keep     func(done step.Done[int])
}

func newWaiter() *waiter {
	w := new(waiter)
	w.complete = func() { w.done.Succeed(w.v + 1) }
	w.keep = func(done step.Done[int]) { w.done = done }
	return w
}

// wait suspends a step until the next turn of its loop adds one to v.
func (w *waiter) wait(as step.Scope, v int) step.Next[int] {
	w.v = v
	if _, err := as.Loop().Immediate(w.complete); err != nil {
		return step.Fail[int](err)
	}
	return step.Wait(as, w.keep)
}

// suspended has count runs of three steps wait in the second one, and prints
// where their memory was allocated, each allocation counted.
func suspended(count int) error {
	runtime.MemProfileRate = 1
	waits := step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, func(step.Done[int]) {}) })
	plan := flow.Chain(inc, waits, inc)
	loop := tool.NewManual(tool.Options{})
	all := make([]*flow.Running[int], count)
	for i := range all {
		all[i] = flow.Start(context.Background(), loop, plan, 0)
	}
	for loop.Iterate() {
	}
	runtime.GC()
	runtime.GC() // a profile is one behind
	defer runtime.KeepAlive(all)
	return pprof.Lookup("heap").WriteTo(os.Stdout, 0)
}
