package syncx_test

import (
	"context"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A server answers ten calls at once in 20 ms each; with more calls each takes longer. The limit begins at fifty and falls
// below forty, because calls time out above that.
func ExampleNewAdaptive() {
	loop := tooltest.New()
	limit := syncx.NewAdaptive(syncx.AdaptivePolicy{Name: "search", Start: 50, Window: 200 * time.Millisecond})
	busy := 0
	answer := step.New(func(as step.Scope, n int) step.Next[int] {
		busy++
		took := 20 * time.Millisecond * time.Duration(max(busy, 10)) / 10
		return step.Wait(as, func(done step.Done[int]) {
			_, _ = loop.Deferred(took, func() { busy--; done.Succeed(n) })
		})
	})
	call := syncx.Sync(limit, flow.Timeout(80*time.Millisecond, answer))
	for second := range 4 {
		for range 2000 { // one call every half millisecond
			flow.Start(context.Background(), loop, call, 0)
			loop.Advance(time.Second / 2000)
		}
		fmt.Println("second", second, "limit", limit.Capacity())
	}
	// Output:
	// second 0 limit 32
	// second 1 limit 28
	// second 2 limit 32
	// second 3 limit 36
}

var search = syncx.NewAdaptive(syncx.AdaptivePolicy{Name: "search", Min: 5, Max: 500, MaxQueue: 50})

// The policy counts an answer of the server as overload, too.
func ExampleAdaptivePolicy() {
	fmt.Println(search)
	limit := syncx.NewAdaptive(syncx.AdaptivePolicy{
		Min: 5, Max: 500, MaxQueue: 50,
		Overload: func(err error) bool {
			return fault.Is(err, fault.Timeout) || fault.CodeOf(err) == "TooManyRequests"
		},
		OnChange: func(from, to int) { fmt.Println("limit", from, "to", to) },
	})
	fmt.Println(limit.Capacity(), limit.Inside(), limit.Queued())
	// Output:
	// adaptive limit search
	// 20 0 0
}

// After a move of the server each call takes longer: the limit falls, and rises again after Relearn.
func ExampleAdaptive_Relearn() {
	loop := tooltest.New()
	limit := syncx.NewAdaptive(syncx.AdaptivePolicy{Max: 50, MinSections: 1})
	calls := func(took time.Duration) {
		call := syncx.Sync(limit, step.Delay[time.Duration](took))
		for began := loop.Now(); loop.Now() < began+time.Minute; {
			for range limit.Capacity() {
				flow.Start(context.Background(), loop, call, 0)
			}
			loop.Run()
		}
		fmt.Println(took, limit.Capacity())
	}
	calls(100 * time.Millisecond)
	calls(time.Second)
	limit.Relearn()
	calls(time.Second)
	// Output:
	// 100ms 50
	// 1s 8
	// 1s 50
}
