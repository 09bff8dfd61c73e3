package syncx_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// The limits may change while the program runs.
func ExampleMutex_SetLimits() {
	m := syncx.NewMutex(10, 100)
	fmt.Println(m.SetLimits(20, 200), m.Capacity())
	fmt.Println(m.SetLimits(0, 200), m.Capacity())
	// Output:
	// <nil> 20
	// InvalidRequest: mutex: the maximum must be at least 1, got 0 20
}

func ExampleThrottle_SetLimits() {
	throttle := syncx.NewThrottle(10, time.Second, 100)
	fmt.Println(throttle.SetLimits(50, time.Minute, 100), throttle.Capacity())
	// Output: <nil> 50
}

func ExampleLimiter_SetLimits() {
	l := syncx.NewLimiter(syncx.Limits{Concurrent: 10})
	fmt.Println(l.SetLimits(syncx.Limits{Concurrent: 20, Rate: 100}), l.Capacity())
	// Output: <nil> 20
}

// The limit is set by hand, and then learns again.
func ExampleAdaptive_SetPolicy() {
	a := syncx.NewAdaptive(syncx.AdaptivePolicy{Max: 100})
	learns := a.Policy()
	byHand := learns
	byHand.Min, byHand.Max = 5, 5
	fmt.Println(a.SetPolicy(byHand), a.Capacity())
	fmt.Println(a.SetPolicy(learns), a.Capacity())
	// Output:
	// <nil> 5
	// <nil> 5
}

func ExampleAdaptive_Policy() {
	a := syncx.NewAdaptive(syncx.AdaptivePolicy{})
	fmt.Println(a.Policy().Min, a.Policy().Max, a.Policy().Window)
	// Output: 1 200 1s
}

// The policy is changed by a text: fields that aren't in the text stay.
func ExampleBreaker_SetPolicy() {
	b := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 5, Failure: func(error) bool { return true }})
	p := b.Policy()
	if err := json.Unmarshal([]byte(`{"pause": "5s"}`), &p); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.SetPolicy(p), b.Policy().Failures, b.Policy().Pause)
	// Output: <nil> 5 5s
}

func ExampleBreaker_Policy() {
	b := syncx.NewBreaker(syncx.BreakerPolicy{})
	fmt.Println(b.Policy().Failures, b.Policy().Pause)
	// Output: 5 1m0s
}

// The breaker is opened and closed by hand.
func ExampleBreaker_Isolate() {
	b := syncx.NewBreaker(syncx.BreakerPolicy{})
	b.Isolate()
	fmt.Println(b.State())
	b.Reset()
	fmt.Println(b.State())
	// Output:
	// open
	// closed
}

func ExampleBreaker_Reset() {
	b := syncx.NewBreaker(syncx.BreakerPolicy{})
	b.Reset() // drops what has been counted
	fmt.Println(b.Counts())
	// Output: 0 0
}
