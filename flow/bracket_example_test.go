package flow_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// A transaction is committed if its use has succeeded, and rolled back otherwise.
func ExampleBracket() {
	open := step.Map(func(name string) string { fmt.Println("begin"); return name })
	rename := step.Func(func(_ step.Scope, name string) (int, error) { return 0, errors.New("there is no " + name) })
	end := step.Func(func(_ step.Scope, tx flow.Ended[string, int]) (struct{}, error) {
		if tx.Err != nil {
			fmt.Println("roll back:", tx.Err)
		} else {
			fmt.Println("commit", tx.Value)
		}
		return struct{}{}, nil
	})
	_, err := flow.Run(context.Background(), flow.Bracket(open, flow.Named("rename", rename), end), "column")
	fmt.Println(err)
	// Output:
	// begin
	// roll back: there is no column
	// there is no column (at 0/0 "rename")
}

// The use of a resource needs the input as well.
func ExampleBracket_carry() {
	lock := step.Map(func(key string) int { fmt.Println("lock", key); return 17 })
	use := step.Map(func(p flow.Pair[string, int]) string { return fmt.Sprintf("%s under lease %d", p.A, p.B) })
	unlock := step.Map(func(e flow.Ended[flow.Pair[string, int], string]) int {
		fmt.Println("give back lease", e.Resource.B)
		return e.Resource.B
	})
	fmt.Println(flow.Run(context.Background(), flow.Bracket(flow.Carry(lock), use, unlock), "door"))
	// Output:
	// lock door
	// give back lease 17
	// door under lease 17 <nil>
}

// The limit passes while the record is being written, and takes effect after that.
func ExampleShield() {
	write := flow.Then(step.Delay[string](20*time.Millisecond), step.Map(func(text string) string {
		fmt.Println("written")
		return text
	}))
	_, err := flow.Run(context.Background(), flow.Timeout(time.Millisecond, flow.Shield(write)), "record")
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output:
	// written
	// true
}

// A release that may take long is given more time than the second that a loop gives it by default.
func ExampleGrace() {
	use := step.Map(func(name string) string { return "used " + name })
	unlock := step.Await(func(_ context.Context, e flow.Ended[string, string]) (struct{}, error) {
		fmt.Println("unlock", e.Resource)
		return struct{}{}, nil
	})
	locked := flow.Grace(time.Minute, flow.Bracket(step.Map(func(name string) string { return name }), use, unlock))
	fmt.Println(flow.Run(context.Background(), locked, "door"))
	// Output:
	// unlock door
	// used door <nil>
}
