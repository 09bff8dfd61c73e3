package lostlimit

import (
	"context"
	"errors"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var call = step.Await(func(ctx context.Context, n int) (int, error) { return n, ctx.Err() })

var lost = step.Func(func(as step.Scope, n int) (int, error) {
	as.SetTimeout(time.Second)               // want `SetTimeout has no effect here: the step ends when the body of step.Func returns`
	if n < 0 && as.SetTimeout(time.Second) { // want `SetTimeout has no effect here`
		return 0, errors.New("negative")
	}
	return n, nil
})

func declared(as step.Scope, n int) (int, error) {
	as.SetTimeout(time.Second) // want `SetTimeout has no effect here`
	return n, nil
}

var byName = step.Func(declared)

// A limit has an effect on a step that has sub-steps or waits.
var counts = step.New(func(as step.Scope, n int) step.Next[int] {
	as.SetTimeout(time.Second)
	inner := step.Func(func(_ step.Scope, m int) (int, error) {
		as.SetTimeout(time.Minute) // the limit of the outer step
		return m, nil
	})
	return step.Into(as, flow.Then(inner, call), n)
})

// The limit of a step that a body of step.Func makes has an effect as well.
var makes = step.Func(func(_ step.Scope, n int) (step.Step[int, int], error) {
	return step.New(func(as step.Scope, m int) step.Next[int] {
		as.SetTimeout(time.Second)
		return step.Into(as, call, m+n)
	}), nil
})

// A handler may add sub-steps.
var handled = flow.Catch(call, func(as step.Scope, err error) step.Next[int] {
	as.SetTimeout(time.Second)
	return step.Into(as, call, 1)
})

var meant = step.Func(func(as step.Scope, n int) (int, error) {
	as.SetTimeout(0) //stepvet:ignore the error of a limit that isn't positive
	return n, nil
})
