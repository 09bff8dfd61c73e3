package flow_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func ExampleDescribe() {
	parse := flow.Named("parse", step.Func(func(_ step.Scope, text string) (int, error) { return strconv.Atoi(text) }))
	half := step.Map(func(i int) float64 { return float64(i) / 2 })
	show := step.Map(strconv.Itoa)
	plan := flow.Then(parse, flow.Par2(flow.Timeout(time.Second, half), show))

	for t := range flow.Describe(plan).All() {
		if t.Role == flow.RoleStep {
			fmt.Println(t.Path, t.Kind, t.Name, t.In, "→", t.Out)
		}
	}
	// Output:
	// 0 func parse string → int
	// 1 par  int → github.com/futoin-go/asyncsteps/flow.Pair[float64,string]
	// 1/par.0/0 timeout  int → float64
	// 1/par.0/0/0 map  int → float64
	// 1/par.1/0 map  int → string
}

func ExampleTree_All() {
	trim := flow.Named("trim", step.Map(strings.TrimSpace))
	plan := flow.Catch(flow.Then(trim, trim), func(step.Scope, error) step.Next[string] { return step.Succeed("") })
	for t := range flow.Describe(plan).All() {
		fmt.Printf("%s %q %s %q\n", t.Role, t.Path, t.Kind, t.Name)
	}
	// Output:
	// plan "" plan ""
	// step "0" catch ""
	// step "0/0" map "trim"
	// step "0/1" map "trim"
	// handler "0" handler ""
}

// A step was added in front, and a limit around another one.
func ExampleDiff() {
	trim := flow.Named("trim", step.Map(strings.TrimSpace))
	upper := flow.Named("upper", step.Map(strings.ToUpper))
	before := flow.Describe(flow.Then(trim, upper))
	after := flow.Describe(flow.Then(step.Map(strings.ToLower), flow.Then(trim, flow.Timeout(time.Second, upper))))
	for _, change := range flow.Diff(before, after) {
		fmt.Println(change)
	}
	// Output:
	// + 0 map strings.ToLower
	// ~ 1 → 2: kind map → timeout, name "upper" → ""
	// + 2/0 map "upper"
}

func ExampleChange_String() {
	a := flow.Describe(flow.Named("price", step.Map(func(item string) int { return len(item) })))
	b := flow.Describe(flow.Named("cost", step.Map(func(item string) int64 { return int64(len(item)) })))
	changes := flow.Diff(a, b)
	fmt.Println(changes[1].String())
	// Output:
	// ~ 0: name "price" → "cost", out int → int64
}

func ExampleParameter() {
	load := step.Map(strconv.Itoa)
	before, after := flow.Describe(flow.Timeout(time.Second, load)), flow.Describe(flow.Timeout(time.Minute, load))
	fmt.Println(after.Holds[0].Parameters)
	fmt.Println(flow.Diff(before, after))
	// Output:
	// [limit 1m0s]
	// [~ 0: limit 1s → 1m0s]
}
