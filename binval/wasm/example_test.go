package wasm_test

import (
	"context"
	"fmt"

	"github.com/futoin-go/asyncsteps/binval/wasm"
	"github.com/futoin-go/asyncsteps/flow"
)

// echo is a guest with one step, echo, which gives what it gets. A program would read a file or embed it.
var echo = wasm.Echo

func ExampleStep() {
	ctx := context.Background()
	m, err := wasm.Load(ctx, echo, wasm.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()

	twice := flow.Then(wasm.Step[string, string](m, "echo"), wasm.Step[string, string](m, "echo"))
	fmt.Println(flow.Run(ctx, twice, "hello"))
	// Output: hello <nil>
}

// A struct crosses as JSON.
func ExampleAwait() {
	type order struct{ ID int }
	ctx := context.Background()
	m, err := wasm.Load(ctx, echo, wasm.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	fmt.Println(flow.Run(ctx, wasm.Await[order, order](m, "echo"), order{7}))
	// Output: {7} <nil>
}

func ExampleLoad() {
	_, err := wasm.Load(context.Background(), []byte("no module"), wasm.Limits{})
	fmt.Println(err)
	// Output: InvalidRequest: the module isn't valid: invalid magic number
}

func ExampleModule_Close() {
	ctx := context.Background()
	m, err := wasm.Load(ctx, echo, wasm.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Close())
	_, err = flow.Run(ctx, wasm.Step[string, string](m, "echo"), "hello")
	fmt.Println(err)
	// Output:
	// <nil>
	// InvalidRequest: the module was closed (at 0)
}

func ExampleBasic() {
	limits := wasm.Limits{WASI: wasm.Basic()}
	fmt.Println(len(limits.WASI))
	// Output: 17
}
