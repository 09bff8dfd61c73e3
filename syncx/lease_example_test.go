package syncx_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Chair is a guard with one place, from which a flow can be evicted.
type Chair struct {
	*syncx.Mutex
	sitter syncx.Lease
	seated uint64
}

func (c *Chair) Lease(_ *syncx.Ticket, l syncx.Lease) (fence uint64) {
	c.sitter = l
	c.seated++
	return c.seated
}

// sit stays for an hour.
func sit() step.Step[string, string] {
	return step.New(func(as step.Scope, name string) step.Next[string] {
		fmt.Println(name, "is sitter", syncx.Fence(as.Context()))
		ctx := as.Context()
		as.SetCancel(func() { fmt.Println(name, "gets up:", errors.Is(context.Cause(ctx), syncx.LeaseLost)) })
		return step.Into(as, step.Delay[string](time.Hour), name)
	})
}

// A guard that gives leases can end a section.
func ExampleLease() {
	loop := tooltest.New()
	chair := &Chair{Mutex: syncx.NewMutex(1, -1)}
	visit := syncx.Sync(chair, sit())
	for _, name := range []string{"Ann", "Bob"} {
		flow.Start(context.Background(), loop, visit, name).Then(func(_ string, err error) {
			fmt.Println(name, "failed:", errors.Is(err, syncx.LeaseLost))
		})
	}
	loop.Advance(time.Minute)
	fmt.Println("taken back:", chair.sitter.Lose(errors.New("the owner is here")))
	loop.Run()
	// Output:
	// Ann is sitter 1
	// taken back: true
	// Ann gets up: true
	// Ann failed: true
	// Bob is sitter 2
	// Bob failed: false
}

func ExampleLease_Lose() {
	loop := tooltest.New()
	chair := &Chair{Mutex: syncx.NewMutex(1, 0)}
	flow.Start(context.Background(), loop, syncx.Sync(chair, sit()), "Ann")
	loop.Run()
	fmt.Println("after she has left:", chair.sitter.Lose(nil))
	// Output:
	// Ann is sitter 1
	// after she has left: false
}

func ExampleLease_Live() {
	loop := tooltest.New()
	chair := &Chair{Mutex: syncx.NewMutex(1, 0)}
	flow.Start(context.Background(), loop, syncx.Sync(chair, sit()), "Ann")
	loop.Advance(time.Minute)
	fmt.Println(chair.sitter.Live())
	loop.Run()
	fmt.Println(chair.sitter.Live())
	// Output:
	// Ann is sitter 1
	// true
	// false
}

func ExampleFence() {
	chair := &Chair{Mutex: syncx.NewMutex(1, 0)}
	write := step.Await(func(ctx context.Context, row string) (string, error) {
		return fmt.Sprintf("UPDATE t SET row = %s, fence = %d WHERE fence <= %[2]d", row, syncx.Fence(ctx)), nil
	})
	for _, row := range []string{"'a'", "'b'"} {
		fmt.Println(flow.Run(context.Background(), syncx.Sync(chair, write), row))
	}
	// Output:
	// UPDATE t SET row = 'a', fence = 1 WHERE fence <= 1 <nil>
	// UPDATE t SET row = 'b', fence = 2 WHERE fence <= 2 <nil>
}
