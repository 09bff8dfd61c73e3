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

// suspended makes count runs of three steps wait in the second one, and prints where their memory was allocated. The profile
// has every allocation.
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
	runtime.GC() // a heap profile lags one collection behind
	defer runtime.KeepAlive(all)
	return pprof.Lookup("heap").WriteTo(os.Stdout, 0)
}
