package engine

import (
	"cmp"
	"context"
	"reflect"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool"
)

// Call calls body and gives its result to end, both on a new goroutine, which body may end by runtime.Goexit. A panic in body becomes
// an error of the step, as on other loops.
func Call(ctx context.Context, body *tool.Body, in reflect.Value, end func(out reflect.Value, err error)) {
	go func() {
		var out reflect.Value
		var err error
		usercode.Protect(func() { out, err = body.Call(ctx, in) }, func(broken error) {
			if broken != nil {
				err = op.Broken("the body", broken)
			}
			end(out, err)
		})
	}()
}

// Shielded calls fn, which calls methods of the user's types, and returns a panic or a Goexit in it as an error. fn is called on a
// goroutine of its own, because it may end its goroutine.
func Shielded(fn func() error) error {
	result := make(chan error, 1)
	go func() {
		var err error
		usercode.Protect(func() { err = fn() }, func(broken error) { result <- cmp.Or(broken, err) })
	}()
	return <-result
}
