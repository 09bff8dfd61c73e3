package flow_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// O6: goroutines that ask for the end of a run just when it ends are told once, and get the same: the channel is
// closed, the callback called, the result set, and if a cancel has returned true the run has ended as cancelled.
func TestAskingWhileTheRunEnds(t *testing.T) {
	loop := tool.Start(tool.Options{})
	defer loop.Shutdown(context.Background())
	plan := step.Map(func(i int) int { return i + 1 })
	for round := range 1000 {
		ctx := t.Context()
		if round%2 == 0 { // nothing waits for the end of this context, so the goroutines are the first to use the run
			ctx = context.Background()
		}
		run := flow.Start(ctx, loop, plan, 1)
		var called atomic.Int32
		var promised atomic.Bool
		var heard error
		told := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() { <-run.Done() })
		all.Go(func() {
			run.Then(func(_ int, err error) {
				if heard = err; called.Add(1) == 1 {
					close(told)
				}
			})
		})
		all.Go(func() { promised.Store(run.Cancel(nil)) })
		all.Go(func() {
			if _, err := run.Wait(t.Context()); err != nil && !errors.Is(err, fault.Cancelled) {
				t.Error(err)
			}
		})
		all.Wait()
		<-told
		v, err := run.Result()
		if was := errors.Is(err, fault.Cancelled); was != promised.Load() || !was && (v != 2 || err != nil) {
			t.Fatalf("Cancel has reported %t, the result is %d, %v", promised.Load(), v, err)
		}
		if !errors.Is(heard, err) || called.Load() != 1 {
			t.Fatalf("told %d times, of %v; the result is %v", called.Load(), heard, err)
		}
		if run.Cancel(nil) {
			t.Fatal("a cancel was promised after the end")
		}
	}
}

func TestZeroRunningIsForAll(t *testing.T) {
	var run flow.Running[int]
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := run.Result(); !errors.Is(err, fault.InvalidRequest) {
				t.Errorf("Result: %v", err)
			}
			<-run.Done()
			run.Then(func(_ int, err error) {
				if !errors.Is(err, fault.InvalidRequest) {
					t.Errorf("Then: %v", err)
				}
			})
			if _, err := run.Wait(t.Context()); !errors.Is(err, fault.InvalidRequest) {
				t.Errorf("Wait: %v", err)
			}
			if run.Cancel(nil) {
				t.Error("a cancel was promised")
			}
		})
	}
	all.Wait()
}
