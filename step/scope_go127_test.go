//go:build go1.27

package step_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

// S3, with methods: memory lives until its step ends, and cleanups run newest first.
func TestStackMethods(t *testing.T) {
	var said []string
	var kept *int
	s := step.Func(func(as step.Scope, in int) (int, error) {
		kept = as.Stack[int]()
		*kept = in
		for _, name := range []string{"a", "b"} {
			p := as.StackCleanup(func(p *string) { said = append(said, fmt.Sprint(*p, *kept)) })
			*p = name
		}
		return *kept, nil
	})
	plantest.WantResult(t, s, 7, 7)
	if diff := cmp.Diff([]string{"b7", "a7"}, said); diff != "" || *kept != 0 {
		t.Errorf("kept %d, -want +got:\n%s", *kept, diff)
	}
}

func ExampleScope_Stack() {
	sum := step.New(func(as step.Scope, in []int) step.Next[int] {
		total := as.Stack[int]()
		for _, i := range in {
			*total += i
		}
		return step.Succeed(*total)
	})
	fmt.Println(flow.Run(context.Background(), sum, []int{1, 2, 3}))
	// Output: 6 <nil>
}

func ExampleScope_StackCleanup() {
	use := step.Func(func(as step.Scope, name string) (int, error) {
		opened := as.StackCleanup(func(name *string) { fmt.Println("close", *name) })
		*opened = name
		return len(*opened), nil
	})
	fmt.Println(flow.Run(context.Background(), use, "file"))
	// Output:
	// close file
	// 4 <nil>
}
