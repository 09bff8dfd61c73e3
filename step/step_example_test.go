package step_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func ExampleMap() {
	double := step.Map(func(i int) int { return 2 * i })
	fmt.Println(flow.Run(context.Background(), double, 21))
	// Output: 42 <nil>
}

func ExampleFunc() {
	parse := step.Func(func(as step.Scope, text string) (int, error) { return strconv.Atoi(text) })
	fmt.Println(flow.Run(context.Background(), parse, "42"))
	_, err := flow.Run(context.Background(), parse, "forty-two")
	fmt.Println(errors.Is(err, strconv.ErrSyntax))
	// Output:
	// 42 <nil>
	// true
}

// The value is known, so the step doesn't wait.
func ExampleSucceed() {
	cached := step.New(func(as step.Scope, word string) step.Next[int] {
		return step.Succeed(len(word))
	})
	fmt.Println(flow.Run(context.Background(), cached, "four"))
	// Output: 4 <nil>
}

// A step decides how it goes on: with a value, or with sub-steps.
func ExampleNew() {
	cache := map[string]int{"one": 1}
	load := step.Map(func(name string) int {
		fmt.Println("loading", name)
		return len(name)
	})
	lookup := step.New(func(as step.Scope, name string) step.Next[int] {
		if n, ok := cache[name]; ok {
			return step.Succeed(n)
		}
		return step.Into(as, load, name)
	})
	fmt.Println(flow.Run(context.Background(), lookup, "one"))
	fmt.Println(flow.Run(context.Background(), lookup, "four"))
	// Output:
	// 1 <nil>
	// loading four
	// 4 <nil>
}

func ExampleAwait() {
	slow := step.Await(func(ctx context.Context, name string) (string, error) {
		select {
		case <-time.After(time.Millisecond):
			return "hello " + name, nil
		case <-ctx.Done(): // the step was cancelled
			return "", context.Cause(ctx)
		}
	})
	fmt.Println(flow.Run(context.Background(), slow, "Ann"))
	// Output: hello Ann <nil>
}

// A body that has to finish its work gets time for that after a cancel or a timeout.
func ExampleAwaitGrace() {
	save := step.AwaitGrace(time.Minute, func(ctx context.Context, name string) (string, error) {
		<-ctx.Done() // cancelled in the middle of the work
		fmt.Println("remove what is there of", name)
		return "", ctx.Err()
	})
	_, err := flow.Run(context.Background(), flow.Timeout(time.Millisecond, save), "report.pdf")
	fmt.Println(errors.Is(err, fault.Timeout))
	// Output:
	// remove what is there of report.pdf
	// true
}

func ExampleFail() {
	errSoldOut := fault.New("SoldOut", "nothing left in stock")
	buy := step.New(func(as step.Scope, stock int) step.Next[int] {
		if stock == 0 {
			return step.Fail[int](errSoldOut)
		}
		return step.Succeed(stock - 1)
	})
	_, err := flow.Run(context.Background(), flow.Named("buy", buy), 0)
	fmt.Println(err, errors.Is(err, errSoldOut))
	// Output: SoldOut: nothing left in stock (at 0 "buy") true
}

// A handler that doesn't handle an error lets it go on.
func ExampleUnwind() {
	fails := step.Func(func(step.Scope, int) (int, error) { return 0, fault.Unauthorized })
	logged := flow.Catch(fails, func(as step.Scope, err error) step.Next[int] {
		fmt.Println("step", as.Path(), "failed with", fault.CodeOf(err))
		return step.Unwind[int]()
	})
	_, err := flow.Run(context.Background(), logged, 1)
	fmt.Println(errors.Is(err, fault.Unauthorized))
	// Output:
	// step 0 failed with Unauthorized
	// true
}

// Sub-steps run one level deeper, and their result is that of the step.
func ExampleInto() {
	inc := step.Map(func(i int) int { return i + 1 })
	twice := flow.Then(inc, inc)
	p := step.New(func(as step.Scope, i int) step.Next[int] {
		return step.Into(as, twice, 10*i)
	})
	fmt.Println(flow.Run(context.Background(), p, 4))
	// Output: 42 <nil>
}

// A step that waits is completed from outside, here by a timer of the loop.
func ExampleWait() {
	later := step.New(func(as step.Scope, name string) step.Next[string] {
		return step.Wait(as, func(done step.Done[string]) {
			as.Loop().Deferred(time.Millisecond, func() { done.Succeed("hello " + name) })
		})
	})
	fmt.Println(flow.Run(context.Background(), later, "Ann"))
	// Output: hello Ann <nil>
}

// A goroutine completes the step.
func ExampleDone() {
	race := step.New(func(as step.Scope, _ string) step.Next[string] {
		as.SetTimeout(time.Minute)
		return step.Wait(as, func(done step.Done[string]) {
			go done.Succeed("from a goroutine")
		})
	})
	fmt.Println(flow.Run(context.Background(), race, ""))
	// Output: from a goroutine <nil>
}

func ExampleScope_SetTimeout() {
	stuck := step.New(func(as step.Scope, _ int) step.Next[int] {
		as.SetTimeout(time.Millisecond)
		return step.Wait[int](as, nil) // never completed
	})
	_, err := flow.Run(context.Background(), flow.Named("stuck", stuck), 1)
	fmt.Println(err)
	fmt.Println(errors.Is(err, fault.Timeout), errors.Is(err, context.DeadlineExceeded))
	// Output:
	// Timeout: step 0 stuck took longer than 1ms
	// true true
}

func ExampleScope_SetCancel() {
	read := step.New(func(as step.Scope, _ int) step.Next[int] {
		as.SetCancel(func() { fmt.Println("close the connection") })
		as.SetTimeout(time.Millisecond)
		return step.Wait[int](as, nil)
	})
	_, err := flow.Run(context.Background(), read, 1)
	fmt.Println(fault.CodeOf(err))
	// Output:
	// close the connection
	// Timeout
}

// The context of a step ends when the step does.
func ExampleScope_Context() {
	var ctx context.Context
	p := step.Func(func(as step.Scope, _ int) (error, error) {
		ctx = as.Context()
		return ctx.Err(), nil
	})
	during, _ := flow.Run(context.Background(), p, 1)
	fmt.Println(during, ctx.Err())
	// Output: <nil> context canceled
}

func ExampleScope_Path() {
	path := step.Func(func(as step.Scope, _ int) (string, error) { return as.Path(), nil })
	id := step.Map(func(i int) int { return i })
	fmt.Println(flow.Run(context.Background(), flow.Then(id, flow.Par(path, flow.Then(id, path))), 1))
	// Output: [1/par.0/0 1/par.1/1] <nil>
}

func ExampleScope_Attempt() {
	flaky := step.Func(func(as step.Scope, in string) (string, error) {
		if as.Attempt() < 3 {
			return "", errors.New("try again")
		}
		return fmt.Sprintf("%s at attempt %d", in, as.Attempt()), nil
	})
	fmt.Println(flow.Run(context.Background(), retry.Of(retry.Policy{}, flaky), "done"))
	// Output: done at attempt 3 <nil>
}

func ExampleScope_Trace() {
	inner := flow.Named("inner", step.Func(func(as step.Scope, _ int) (int, error) {
		for _, level := range as.Trace() {
			fmt.Println(level.Path, level.Kind, level.Name)
		}
		return 0, nil
	}))
	flow.Run(context.Background(), flow.Named("outer", flow.Timeout(time.Second, inner)), 1)
	// Output:
	// 0/0 func inner
	// 0 timeout outer
}

// The state is shared by all steps of a run.
func ExampleState() {
	first := step.Func(func(as step.Scope, i int) (int, error) {
		as.State().Set("seen", i)
		return i + 1, nil
	})
	second := step.Func(func(as step.Scope, i int) (string, error) {
		seen, _ := as.State().Get("seen")
		return fmt.Sprint(seen, " then ", i), nil
	})
	fmt.Println(flow.Run(context.Background(), flow.Then(first, second), 1))
	// Output: 1 then 2 <nil>
}

var user = step.NewVar[string]("user")

// A Var is a variable of the state with a type.
func ExampleVar() {
	login := step.Func(func(as step.Scope, name string) (int, error) {
		user.Set(as, name)
		return len(name), nil
	})
	greet := step.Func(func(as step.Scope, _ int) (string, error) {
		name, ok := user.Get(as)
		return fmt.Sprintf("hello %s %v", name, ok), nil
	})
	fmt.Println(flow.Run(context.Background(), flow.Then(login, greet), "Ann"))
	// Output: hello Ann true <nil>
}

// Two keys with the same name are one variable.
func ExampleNewVar() {
	count := step.NewVar[int]("requests")
	same := step.NewVar[int]("requests")
	visit := step.Func(func(as step.Scope, _ string) (string, error) {
		n, _ := count.Get(as)
		count.Set(as, n+1)
		return fmt.Sprint(same.Get(as)), nil
	})
	reset := step.Func(func(as step.Scope, seen string) (string, error) {
		count.Delete(as)
		_, ok := count.Get(as)
		return fmt.Sprint(seen, ", then ", ok), nil
	})
	fmt.Println(flow.Run(context.Background(), flow.Chain(visit, visit, reset), ""))
	// Output: 2 true, then false <nil>
}

// One of the variables is deleted.
func ExampleState_All() {
	p := step.Func(func(as step.Scope, _ int) (string, error) {
		state := as.State()
		state.Set("user", "Ann")
		state.Set("token", "secret")
		state.Delete("token")
		return fmt.Sprint(maps.Collect(state.All())), nil
	})
	fmt.Println(flow.Run(context.Background(), p, 0))
	// Output: map[user:Ann] <nil>
}

// A scope and a Done are invalid after the end of their step.
func ExampleDone_Valid() {
	var late step.Scope
	var answer step.Done[string]
	ask := step.New(func(as step.Scope, _ int) step.Next[string] {
		late = as
		return step.Wait(as, func(done step.Done[string]) {
			answer = done
			fmt.Println(as.Valid(), done.Valid(), done.Succeed("first"))
		})
	})
	fmt.Println(flow.Run(context.Background(), ask, 0))
	fmt.Println(late.Valid(), answer.Valid(), answer.Succeed("second"))
	// Output:
	// true true true
	// first <nil>
	// false false false
}

// Memory on the stack of a step can be used by its sub-steps.
func ExampleStack() {
	p := step.New(func(as step.Scope, words []string) step.Next[int] {
		longest := step.Stack[int](as)
		measure := step.Map(func(w string) int {
			*longest = max(*longest, len(w))
			return *longest
		})
		return step.Into(as, flow.Then(flow.ParEach(1, measure), step.Map(func([]int) int { return *longest })), words)
	})
	fmt.Println(flow.Run(context.Background(), p, []string{"a", "abc", "ab"}))
	// Output: 3 <nil>
}

func ExampleStackCleanup() {
	type conn struct{ name string }
	p := step.Func(func(as step.Scope, name string) (int, error) {
		c := step.StackCleanup(as, func(c *conn) { fmt.Println("close", c.name) })
		c.name = name
		fmt.Println("use", c.name)
		return 1, nil
	})
	fmt.Println(flow.Run(context.Background(), flow.Then(p, step.Map(func(i int) int {
		fmt.Println("next step")
		return i
	})), "db"))
	// Output:
	// use db
	// close db
	// next step
	// 1 <nil>
}

// Now returns virtual time on a loop of tooltest.
func ExampleScope_Now() {
	loop := tooltest.New()
	now := step.Func(func(as step.Scope, began time.Time) (time.Duration, error) { return as.Now().Sub(began), nil })
	began := step.Func(func(as step.Scope, _ string) (time.Time, error) { return as.Now(), nil })
	run := flow.Start(context.Background(), loop, flow.Then(flow.Then(began, step.Delay[time.Time](time.Hour)), now), "")
	loop.Run()
	fmt.Println(run.Result())
	// Output: 1h0m0s <nil>
}
