package loopx_test

import (
	"context"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Every makes a measurement each minute, three times.
func ExampleEvery() {
	l := tooltest.New()
	made := 0
	measure := step.New(func(_ step.Scope, what string) step.Next[int] {
		fmt.Println(what, "after", l.Now())
		if made++; made == 3 {
			return loopx.Break[int]()
		}
		return step.Succeed(made)
	})
	flow.Start(context.Background(), l, loopx.Every(time.Minute, measure), "measured")
	l.Run()
	// Output:
	// measured after 0s
	// measured after 1m0s
	// measured after 2m0s
}

// The pauses double.
func ExampleSchedule() {
	l := tooltest.New()
	pause := time.Second
	next := func(now time.Time) time.Time {
		if pause *= 2; pause > 8*time.Second {
			return time.Time{}
		}
		return now.Add(pause)
	}
	look := step.Func(func(step.Scope, step.Unit) (time.Duration, error) {
		fmt.Println("after", l.Now())
		return l.Now(), nil
	})
	flow.Start(context.Background(), l, loopx.Schedule(next, look), step.Unit{})
	l.Run()
	// Output:
	// after 2s
	// after 6s
	// after 14s
}
