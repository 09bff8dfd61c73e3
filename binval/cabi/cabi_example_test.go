//go:build cgo

package cabi_test

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// In these examples mock stands for code of C, and for an engine written in C.

// C makes the steps of a run; Go has a stage in between.
func ExampleNewRoot() {
	loop := tool.NewManual(tool.Options{})
	root := cabi.NewRoot(loop)
	shown := mock.NewNumber()
	mock.Add(root.Binary(), 21, mock.Gives, 0)
	if err := cabi.Add(root.Steps(), &number, double, &number); err != nil {
		fmt.Println(err)
	}
	mock.Add(root.Binary(), shown.Data(), mock.Takes, 0)

	err := root.Execute(func(err error) { fmt.Println("ended:", err) })
	for loop.Iterate() {
	}
	fmt.Println("C has got", shown.Value(), err)
	fmt.Println(root.Free(), root.Free())
	// Output:
	// ended: <nil>
	// C has got 42 <nil>
	// true false
}

func ExampleRoot_Cancel() {
	loop := tool.NewManual(tool.Options{})
	root := cabi.NewRoot(loop)
	defer root.Free()
	mock.Add(root.Binary(), 21, mock.Gives, 0)
	_ = root.Execute(func(err error) { fmt.Println(err) })
	root.Cancel()
	for loop.Iterate() {
	}
	// Output: Cancelled: context canceled
}

// Go adds a stage to a run of another engine, which may be written in any language.
func ExampleWrap() {
	engine := mock.New()
	defer engine.Free()
	p, shown := engine.Root(), mock.NewNumber()

	mock.Add(p, 4, mock.Gives, 0)
	as, err := cabi.Wrap(p)
	fmt.Println(as.Foreign(), as.Valid(), as.Binary() == p, err)
	fmt.Println(cabi.Add(as, &number, double, &number))
	mock.Add(p, shown.Data(), mock.Takes, 0)

	mock.Execute(p, 0, 0)
	engine.Run()
	fmt.Println("C has got", shown.Value())
	mock.Free(p)
	// Output:
	// true true true <nil>
	// <nil>
	// C has got 8
}

// The codec of the first stage's result is also that of the second stage's input.
func ExampleAdd() {
	loop := tool.NewManual(tool.Options{})
	root := cabi.NewRoot(loop)
	start := step.Map(func(struct{}) int32 { return 20 })
	show := step.Map(func(n int32) struct{} {
		fmt.Println(n)
		return struct{}{}
	})
	fmt.Println(cabi.Add(root.Steps(), &none, start, &number))
	fmt.Println(cabi.Add(root.Steps(), &number, flow.Then(double, show), &none))
	_ = root.Execute(func(error) {})
	for loop.Iterate() {
	}
	root.Steps().Free() // calls free of the table, as C does
	// Output:
	// <nil>
	// <nil>
	// 40
}

// A plan of Go with a step of C in the middle.
func ExampleCall() {
	ofC := cabi.Call(&number, cabi.Code{Execute: pointer(mock.Forwards)}, &number)
	fmt.Println(flow.Run(context.Background(), flow.Then(double, ofC), 21))
	// Output: 42 <nil>
}

func ExampleFunc() {
	ask := cabi.Func(func(as cabi.Steps, n int32) error {
		mock.Add(as.Binary(), uintptr(n), mock.Gives, 0)
		return nil
	}, &number)
	fmt.Println(flow.Run(context.Background(), flow.Then(ask, double), 21))
	// Output: 42 <nil>
}

// A mutex of Go limits how many flows of a C engine are in a section.
func ExampleNewSync() {
	engine := mock.New()
	defer engine.Free()
	m := syncx.NewMutex(1, -1)
	lent, err := cabi.NewSync(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer lent.Free()

	look := mock.Hook(func(unsafe.Pointer) { fmt.Println("inside:", m.Inside()) })
	p := engine.Root()
	mock.AddSync(p, lent.Binary(), look, mock.AsksGo, 0)
	mock.Execute(p, 0, 0)
	engine.Run()
	fmt.Println("inside:", m.Inside())
	mock.Free(p)
	// Output:
	// inside: 1
	// inside: 0
}

// A mutex of C guards a section of a Go plan.
func ExampleWrapSync() {
	m := mock.Mutex()
	g, err := cabi.WrapSync(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	look := step.Map(func(int) bool { return mock.Locked(m) })
	fmt.Println(flow.Run(context.Background(), syncx.Sync(g, look), 0))
	fmt.Println(mock.Locked(m))
	// Output:
	// true <nil>
	// false
}

// FreeSync frees a guard that this engine has made, and does nothing to one made by C.
func ExampleFreeSync() {
	ours, err := cabi.NewSync(syncx.NewMutex(1, 0))
	if err != nil {
		fmt.Println(err)
		return
	}
	theirs := mock.Mutex()
	for _, p := range []unsafe.Pointer{ours.Binary(), theirs} {
		cabi.FreeSync(p)
	}
	g, err := cabi.WrapSync(theirs)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(flow.Run(context.Background(), syncx.Sync(g, double), 21))
	// Output: 42 <nil>
}

func ExampleLive() {
	before := cabi.Live()
	root := cabi.NewRoot(tool.NewManual(tool.Options{}))
	fmt.Println(cabi.Live() - before)
	root.Free()
	fmt.Println(cabi.Live() - before)
	// Output:
	// 1
	// 0
}
