//go:build go1.27

package flow_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// The same plan in functions is Example_functions.
func Example_methods() {
	user := flow.Of(fetch).Named("fetch").Timeout(time.Millisecond).Catch(anonymous)
	plan := flow.Of(parse).Then(user).Then(greet)

	fmt.Println(plan.Run(context.Background(), "42"))
	// Output: hello somebody <nil>
}

// In a chain of methods, a handler covers all steps to its left: in wider that is parse too.
func TestStylesAreOnePlan(t *testing.T) {
	functions := flow.Then(flow.Then(parse, flow.Catch(flow.Timeout(time.Millisecond, flow.Named("fetch", fetch)), anonymous)), greet)
	methods := flow.Of(parse).Then(flow.Of(fetch).Named("fetch").Timeout(time.Millisecond).Catch(anonymous)).Then(greet)
	wider := flow.Of(parse).Then(fetch).Timeout(time.Millisecond).Catch(anonymous).Then(greet)
	if diff := cmp.Diff(facts(flow.Describe(functions)), facts(methods.Describe())); diff != "" {
		t.Errorf("-functions +methods:\n%s", diff)
	}
	if wider.Describe().Digest == methods.Describe().Digest {
		t.Error("the handler covers the same steps")
	}
}

func ExamplePlan_Then() {
	half := step.Map(func(i int) float64 { return float64(i) / 2 })
	fmt.Println(flow.Of(parse).Then(half).Run(context.Background(), "5"))
	// Output: 2.5 <nil>
}

func ExamplePlan_CatchInput() {
	same := flow.Of(parse).CatchInput(func(_ step.Scope, text string, _ error) step.Next[int] { return step.Succeed(len(text)) })
	fmt.Println(same.Run(context.Background(), "seven"))
	// Output: 5 <nil>
}

func ExamplePlan_Catch() {
	zero := flow.Of(parse).Catch(func(step.Scope, error) step.Next[int] { return step.Succeed(0) })
	fmt.Println(zero.Run(context.Background(), "five"))
	// Output: 0 <nil>
}

func ExamplePlan_Timeout() {
	_, err := flow.Of(fetch).Timeout(time.Millisecond).Run(context.Background(), 42)
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output: true
}

func ExamplePlan_OnCancel() {
	p := flow.Of(parse).OnCancel(func(step.Scope) { fmt.Println("roll back") })
	_, err := p.Run(context.Background(), "five")
	fmt.Println(errors.Is(err, strconv.ErrSyntax))
	// Output:
	// roll back
	// true
}

func ExamplePlan_Named() {
	_, err := flow.Of(parse).Named("parse").Run(context.Background(), "five")
	fmt.Println(strings.Contains(err.Error(), `"parse"`))
	// Output: true
}

func ExamplePlan_Call() {
	shared := flow.Of(parse).Then(step.Map(strconv.Itoa)).Call()
	fmt.Println(shared.Then(shared).Run(context.Background(), "007"))
	// Output: 7 <nil>
}

func ExamplePlan_Run() {
	fmt.Println(flow.Of(greet).Run(context.Background(), "Ann"))
	// Output: hello Ann <nil>
}

func ExamplePlan_Start() {
	loop := tool.Start(tool.Options{})
	defer loop.Shutdown(context.Background())

	run := flow.Of(greet).Start(context.Background(), loop, "Ann")
	fmt.Println(run.Wait(context.Background()))
	// Output: hello Ann <nil>
}

func ExamplePlan_Describe() {
	for t := range flow.Of(parse).Then(step.Map(strconv.Itoa)).Describe().All() {
		fmt.Printf("%q %s\n", t.Path, t.Kind)
	}
	// Output:
	// "" plan
	// "0" func
	// "1" map
}
