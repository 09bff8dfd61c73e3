package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/futoin-go/asyncsteps/fault"
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

// A timeout of this project is one for code that knows contexts only.
func ExampleCode_Is() {
	err := fault.New(fault.Timeout, "step took more than 30ms")
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output: true
}

// The engine fills in where it happened; this shows how it prints.
func ExampleError_Format() {
	err := &fault.Error{
		Code:  fault.Timeout,
		Info:  "more than 30ms",
		Path:  "1/par.0/0",
		Name:  "price",
		Site:  fault.Site{File: "page.go", Line: 12, Func: "shop.newPage"},
		Trail: []fault.Mark{{Path: "1", Kind: "par", What: fault.Silent}},
	}
	fmt.Println(err)
	fmt.Printf("%+v\n", err)
	// Output:
	// Timeout: more than 30ms (at 1/par.0/0 "price")
	// Timeout: more than 30ms
	//   raised    1/par.0/0 "price" [page.go:12 shop.newPage]
	//   silent    1 par
}
