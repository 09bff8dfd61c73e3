package flow_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

func ExampleRun() {
	greet := step.Map(func(name string) string { return "hello " + name })
	fmt.Println(flow.Run(context.Background(), greet, "Ann"))
	// Output: hello Ann <nil>
}

func ExampleThen() {
	parse := step.Func(func(_ step.Scope, text string) (int, error) { return strconv.Atoi(text) })
	half := step.Map(func(i int) float64 { return float64(i) / 2 })
	fmt.Println(flow.Run(context.Background(), flow.Then(parse, half), "5"))
	// Output: 2.5 <nil>
}

func ExampleChain() {
	stages := []step.Step[string, string]{step.Map(strings.TrimSpace), step.Map(strings.ToUpper)}
	fmt.Println(flow.Run(context.Background(), flow.Chain(stages...), "  hello "))
	// Output: HELLO <nil>
}

func ExampleOf() {
	p := flow.Of(step.Map(strconv.Itoa))
	fmt.Println(flow.Run(context.Background(), p, 42))
	// Output: 42 <nil>
}

func ExamplePar() {
	double := step.Map(func(i int) int { return 2 * i })
	square := step.Map(func(i int) int { return i * i })
	fmt.Println(flow.Run(context.Background(), flow.Par(double, square), 5))
	// Output: [10 25] <nil>
}

func ExamplePar2() {
	both := flow.Par2(step.Map(strconv.Itoa), step.Map(func(i int) bool { return i%2 == 0 }))
	got, err := flow.Run(context.Background(), both, 42)
	fmt.Printf("%q %v %v\n", got.A, got.B, err)
	// Output: "42" true <nil>
}

func ExamplePair() {
	both := flow.Par2(step.Map(strings.ToUpper), step.Map(strings.TrimSpace))
	join := step.Map(func(got flow.Pair[string, string]) string { return got.A + "/" + got.B })
	fmt.Println(flow.Run(context.Background(), flow.Then(both, join), "tea"))
	// Output: TEA/tea <nil>
}

func ExamplePar3() {
	price := step.Map(func(item string) float64 { return 9.5 })
	stock := step.Map(func(item string) int { return 3 })
	title := step.Map(strings.ToUpper)
	page := flow.Then(flow.Par3(title, price, stock), step.Map(func(got flow.Triple[string, float64, int]) string {
		return fmt.Sprintf("%s: %.2f, %d left", got.A, got.B, got.C)
	}))
	fmt.Println(flow.Run(context.Background(), page, "mug"))
	// Output: MUG: 9.50, 3 left <nil>
}

// At most two elements are worked on at a time.
func ExampleParEach() {
	fetch := step.Await(func(_ context.Context, name string) (int, error) { return len(name), nil })
	fmt.Println(flow.Run(context.Background(), flow.ParEach(2, fetch), []string{"a", "abc", "ab"}))
	// Output: [1 3 2] <nil>
}

func ExampleCatch() {
	fetch := step.Func(func(_ step.Scope, name string) (string, error) {
		return "", fault.Wrap(fault.ConnectError, "no route", nil)
	})
	withFallback := flow.Catch(fetch, func(as step.Scope, err error) step.Next[string] {
		if errors.Is(err, fault.ConnectError) {
			return step.Succeed("from the cache")
		}
		return step.Unwind[string]()
	})
	fmt.Println(flow.Run(context.Background(), withFallback, "page"))
	// Output: from the cache <nil>
}

func ExampleTimeout() {
	stuck := step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) })
	limited := flow.Catch(flow.Timeout(time.Millisecond, stuck), func(_ step.Scope, err error) step.Next[int] {
		fmt.Println(err)
		return step.Succeed(-1)
	})
	fmt.Println(flow.Run(context.Background(), limited, 1))
	// Output:
	// Timeout: step 0 took longer than 1ms
	// -1 <nil>
}

func ExampleOnCancel() {
	fails := step.Func(func(step.Scope, int) (int, error) { return 0, errors.New("no") })
	p := flow.OnCancel(fails, func(step.Scope) { fmt.Println("roll back") })
	_, err := flow.Run(context.Background(), p, 1)
	fmt.Println(err != nil)
	// Output:
	// roll back
	// true
}

func ExampleValue() {
	save := step.Func(func(_ step.Scope, text string) (int, error) { return len(text), nil })
	fmt.Println(flow.Run(context.Background(), flow.Then(save, flow.Value[int]("saved")), "text"))
	// Output: saved <nil>
}

// Errors name the step.
func ExampleNamed() {
	load := flow.Named("load user", step.Func(func(step.Scope, int) (int, error) { return 0, fault.Unauthorized }))
	_, err := flow.Run(context.Background(), load, 1)
	fmt.Println(err)
	// Output: Unauthorized (at 0 "load user")
}

// A large plan that several others use is called instead of being copied into each.
func ExampleCall() {
	shared := flow.Then(step.Map(strings.TrimSpace), step.Map(strings.ToUpper))
	p := flow.Par(flow.Call(shared), flow.Call(shared))
	fmt.Println(flow.Run(context.Background(), p, " hello "))
	// Output: [HELLO HELLO] <nil>
}

func ExampleCopyFrom() {
	currency := step.NewVar[string]("currency")
	model := flow.Model[int, string]{
		Steps: step.Func(func(as step.Scope, amount int) (string, error) {
			unit, _ := currency.Get(as)
			return fmt.Sprint(amount, " ", unit), nil
		}),
		State: map[string]any{"currency": "EUR"},
	}
	fmt.Println(flow.Run(context.Background(), flow.CopyFrom(model), 5))
	// Output: 5 EUR <nil>
}

func ExampleStart() {
	loop := tool.Start(tool.Options{})
	defer loop.Shutdown(context.Background())

	double := step.Map(func(i int) int { return 2 * i })
	a := flow.Start(context.Background(), loop, double, 1)
	b := flow.Start(context.Background(), loop, double, 2)
	fmt.Println(a.Wait(context.Background()))
	fmt.Println(b.Wait(context.Background()))
	// Output:
	// 2 <nil>
	// 4 <nil>
}

func ExampleRunning_Cancel() {
	loop := tool.Start(tool.Options{})
	defer loop.Shutdown(context.Background())

	stuck := step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) })
	r := flow.Start(context.Background(), loop, stuck, 1)
	fmt.Println(r.Cancel(errors.New("the client has gone")))
	_, err := r.Wait(context.Background())
	fmt.Println(errors.Is(err, context.Canceled), fault.InfoOf(err))
	// Output:
	// true
	// true the client has gone
}

func ExampleRunning_Then() {
	loop := tool.Start(tool.Options{})
	defer loop.Shutdown(context.Background())

	done := make(chan struct{})
	flow.Start(context.Background(), loop, step.Map(strconv.Itoa), 42).Then(func(out string, err error) {
		fmt.Println(out, err)
		close(done)
	})
	<-done
	// Output: 42 <nil>
}

func ExampleRunning_Done() {
	loop := tool.Start(tool.Options{})
	defer loop.Shutdown(context.Background())

	r := flow.Start(context.Background(), loop, step.Map(strconv.Itoa), 42)
	select {
	case <-r.Done():
		fmt.Println(r.Result())
	case <-time.After(time.Minute):
		fmt.Println("still running")
	}
	// Output: 42 <nil>
}

func ExampleAwaitChan() {
	ticket := flow.AwaitChan(func(_ context.Context, name string) <-chan string {
		ch := make(chan string, 1)
		ch <- "ticket for " + name
		return ch
	})
	fmt.Println(flow.Run(context.Background(), ticket, "Ann"))
	// Output: ticket for Ann <nil>
}

func ExampleAwaitRun() {
	other := tool.Start(tool.Options{})
	defer other.Shutdown(context.Background())

	double := step.Map(func(i int) int { return 2 * i })
	elsewhere := flow.AwaitRun(func(ctx context.Context, i int) *flow.Running[int] {
		return flow.Start(ctx, other, double, i)
	})
	fmt.Println(flow.Run(context.Background(), elsewhere, 21))
	// Output: 42 <nil>
}
