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
	measure := step.New(func(_ step.Scope, i loopx.Iteration[int]) step.Next[int] {
		fmt.Println("after", l.Now())
		if i.Index == 2 {
			return loopx.Break[int]()
		}
		return step.Succeed(i.Carry + 1)
	})
	flow.Start(context.Background(), l, loopx.Every(time.Minute, measure), 0)
	l.Run()
	// Output:
	// after 0s
	// after 1m0s
	// after 2m0s
}

// Schedule with pauses that double, three of them.
func ExampleSchedule() {
	l := tooltest.New()
	pause := time.Second
	next := func(now time.Time) time.Time {
		if pause *= 2; pause > 8*time.Second {
			return time.Time{}
		}
		return now.Add(pause)
	}
	look := step.Map(func(i loopx.Iteration[int]) int {
		fmt.Println("after", l.Now())
		return i.Carry
	})
	flow.Start(context.Background(), l, loopx.Schedule(next, look), 0)
	l.Run()
	// Output:
	// after 2s
	// after 6s
	// after 14s
}
