package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var errNoStock = fault.New("NoStock", "the shelf is empty")

func Example() {
	order := func(n int) error {
		if n > 3 {
			return errNoStock
		}
		return nil
	}

	err := order(5)
	fmt.Println(err)
	fmt.Println(errors.Is(err, errNoStock), errors.Is(err, fault.Code("NoStock")))
	// Output:
	// NoStock: the shelf is empty
	// true true
}

// Errors are declared once. errors.Is finds the declared error, or its code alone, in an error that wraps it.
func ExampleNew() {
	soldOut := fault.New("SoldOut", "no tickets left")
	other := fault.New("SoldOut", "no seats left")
	err := fmt.Errorf("row 7: %w", soldOut)
	fmt.Println(err)
	fmt.Println(errors.Is(err, soldOut), errors.Is(err, other), errors.Is(err, fault.Code("SoldOut")))
	// Output:
	// row 7: SoldOut: no tickets left
	// true false true
}

func ExampleWrap() {
	err := fault.Wrap(fault.CommError, "reading the price", io.ErrUnexpectedEOF)
	fmt.Println(err)
	fmt.Println(errors.Is(err, io.ErrUnexpectedEOF))
	// Output:
	// CommError: reading the price: unexpected EOF
	// true
}

func ExampleCodeOf() {
	fmt.Println(fault.CodeOf(fmt.Errorf("order: %w", errNoStock)))
	fmt.Println(fault.CodeOf(context.DeadlineExceeded))
	fmt.Println(fault.CodeOf(io.EOF))
	// Output:
	// NoStock
	// Timeout
	// InternalError
}

// The info of an error is the text for people, without the code.
func ExampleInfoOf() {
	fmt.Println(fault.InfoOf(fmt.Errorf("order: %w", errNoStock)))
	fmt.Println(fault.InfoOf(io.EOF))
	fmt.Printf("%q\n", fault.InfoOf(fault.Timeout))
	// Output:
	// the shelf is empty
	// EOF
	// ""
}

// Code that only knows package context recognises a timeout of this project.
func ExampleCode_Is() {
	err := fault.New(fault.Timeout, "step took more than 30ms")
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output: true
}

// A run fills in the place of an error; %+v prints all of it.
func ExampleError_Format() {
	err := &fault.Error{
		Code:   fault.Timeout,
		Info:   "more than 30ms",
		Path:   "1/par.0/0",
		Name:   "price",
		Site:   fault.Site{File: "page.go", Line: 12, Func: "shop.newPage"},
		Unwind: []fault.Frame{{Path: "1", Kind: "par", What: fault.Silent}},
	}
	fmt.Println(err)
	fmt.Printf("%+v\n", err)
	// Output:
	// Timeout: more than 30ms (at 1/par.0/0 "price")
	// Timeout: more than 30ms
	//   raised    1/par.0/0 "price" [page.go:12 shop.newPage]
	//   silent    1 par
}

// %+v prints the events before an error, if an observer has recorded them.
func ExampleEvent() {
	err := fault.New(fault.Timeout, "more than 30ms")
	err.Record = []fault.Event{
		{At: 0, What: "step start", Path: "0", Name: "login"},
		{At: 2 * time.Millisecond, What: "step start", Path: "1", Name: "load"},
	}
	fmt.Printf("%+v\n", err)
	// Output:
	// Timeout: more than 30ms
	//   what happened before:
	//     0s        step start 0 "login"
	//     2ms       step start 1 "load"
}

// A panic of a body is an error of the run that keeps the value and the Go stack.
func ExamplePanic() {
	var prices map[string]int
	note := step.Map(func(item string) int { prices[item] = 7; return 7 })
	_, err := flow.Run(context.Background(), note, "tea")
	panicked, ok := errors.AsType[*fault.Panic](err)
	fmt.Println(fault.CodeOf(err), ok)
	fmt.Println(panicked.Value, len(panicked.Stack) > 0)
	// Output:
	// InternalError true
	// assignment to entry in nil map true
}

// An observer may get any error of the program, also one that wraps itself.
func ExampleIs() {
	ring := fault.New("Ring", "wraps itself")
	ring.Cause = ring
	fmt.Println(fault.Is(ring, io.EOF), fault.Is(ring, fault.Code("Ring"))) // errors.Is wouldn't return from the search for io.EOF
	// Output: false true
}

func ExampleAsType() {
	_, err := flow.Run(context.Background(), step.Map(func(n int) int { return 1 / n }), 0)
	if p, ok := fault.AsType[*fault.Panic](err); ok && p != nil {
		fmt.Println(p.Value)
	}
	// Output: runtime error: integer divide by zero
}
