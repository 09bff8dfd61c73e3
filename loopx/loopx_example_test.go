package loopx_test

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

func ExampleLoop() {
	halve := loopx.Loop(step.New(func(_ step.Scope, n int) step.Next[int] {
		if n%2 == 1 {
			return loopx.Break[int]()
		}
		return step.Succeed(n / 2)
	}))
	fmt.Println(flow.Run(context.Background(), halve, 96))
	// Output: 3 <nil>
}

func ExampleRepeat() {
	factorial := loopx.Repeat(5, step.Map(func(t loopx.Iteration[int]) int { return t.Carry * (t.Index + 1) }))
	fmt.Println(flow.Run(context.Background(), factorial, 1))
	// Output: 120 <nil>
}

func ExampleEach() {
	list := loopx.Each(step.Map(func(it loopx.Item[int, string, string]) string {
		return it.Carry + fmt.Sprintf("%d: %s\n", it.Key, it.Value)
	}))
	text, _ := flow.Run(context.Background(), list, []string{"apple", "banana"})
	fmt.Print(text)
	// Output:
	// 0: apple
	// 1: banana
}

func ExampleEachMap() {
	bill := loopx.EachMap(step.Map(func(it loopx.Item[string, int, int]) int {
		fmt.Println(it.Key, it.Value)
		return it.Carry + it.Value
	}))
	fmt.Println(flow.Run(context.Background(), bill, map[string]int{"tea": 2, "bread": 3}))
	// Output:
	// bread 3
	// tea 2
	// 5 <nil>
}

// An iterator may be endless: its elements are computed one by one, as the loop comes to them.
func ExampleEachSeq() {
	squares := func(yield func(int) bool) {
		for i := 0; yield(i * i); i++ {
		}
	}
	above := loopx.EachSeq(step.New(func(_ step.Scope, it loopx.Item[int, int, int]) step.Next[int] {
		if it.Carry > 1000 {
			return loopx.Break[int]()
		}
		return step.Succeed(it.Value)
	}))
	fmt.Println(flow.Run(context.Background(), above, squares))
	// Output: 1024 <nil>
}

func ExampleEachSeq2() {
	last := loopx.EachSeq2(step.Map(func(it loopx.Item[int, string, string]) string { return it.Value }))
	fmt.Println(flow.Run(context.Background(), last, slices.All([]string{"first", "second"})))
	// Output: second <nil>
}

// A break isn't given to error handlers.
func ExampleBreak() {
	check := flow.Catch(step.New(func(_ step.Scope, n int) step.Next[int] {
		if n > 3 {
			return loopx.Break[int]()
		}
		return step.Succeed(n)
	}), func(step.Scope, error) step.Next[int] { panic("not called") })
	fmt.Println(flow.Run(context.Background(), loopx.Loop(flow.Then(step.Map(func(n int) int { return n + 1 }), check)), 0))
	// Output: 3 <nil>
}

func ExampleContinue() {
	odd := loopx.Each(step.New(func(_ step.Scope, it loopx.Item[int, int, int]) step.Next[int] {
		if it.Value%2 == 0 {
			return loopx.Continue[int]()
		}
		return step.Succeed(it.Carry + it.Value)
	}))
	fmt.Println(flow.Run(context.Background(), odd, []int{1, 2, 3, 4, 5}))
	// Output: 9 <nil>
}

// found is the label of the outer loop. Its type is that of the loop's result.
var found = loopx.NewLabel[string]("FOUND")

func ExampleLabelled() {
	cell := loopx.Each(step.New(func(_ step.Scope, it loopx.Item[int, string, string]) step.Next[string] {
		if it.Value == "x" {
			return loopx.BreakTo[string](found, fmt.Sprint("column ", it.Key))
		}
		return step.Succeed("")
	}))
	row := step.Map(func(it loopx.Item[int, []string, string]) []string { return it.Value })
	search := loopx.Labelled(found, loopx.Each(flow.Then(row, cell)))
	fmt.Println(flow.Run(context.Background(), search, [][]string{{".", "."}, {".", "x"}, {"x", "."}}))
	// Output: column 1 <nil>
}

func ExampleBreakTo() {
	deep := loopx.NewLabel[int]("DEEP")
	forever := loopx.Loop(step.New(func(_ step.Scope, n int) step.Next[int] { return loopx.BreakTo[int](deep, n+1) }))
	fmt.Println(flow.Run(context.Background(), loopx.Labelled(deep, loopx.Loop(forever)), 1))
	// Output: 2 <nil>
}

func ExampleContinueTo() {
	again := loopx.NewLabel[int]("AGAIN")
	inner := loopx.Loop(step.New(func(_ step.Scope, n int) step.Next[int] {
		if n > 50 {
			return loopx.BreakTo[int](again, n)
		}
		return loopx.ContinueTo[int](again, n*2)
	}))
	fmt.Println(flow.Run(context.Background(), loopx.Labelled(again, loopx.Loop(inner)), 1))
	// Output: 64 <nil>
}

func ExampleNewLabel() {
	label := loopx.NewLabel[int]("OUTER")
	_, err := flow.Run(context.Background(), step.New(func(step.Scope, int) step.Next[int] {
		return loopx.BreakTo[int](label, 0)
	}), 0)
	fmt.Println(err != nil) // there is no loop with that label
	fmt.Println(flow.Run(context.Background(), loopx.Labelled(label, loopx.EachMap(step.New(
		func(_ step.Scope, it loopx.Item[int, bool, int]) step.Next[int] {
			return loopx.BreakTo[int](label, it.Key)
		},
	))), maps.Collect(slices.All([]bool{true}))))
	// Output:
	// true
	// 0 <nil>
}
