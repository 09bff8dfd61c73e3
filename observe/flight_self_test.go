package observe_test

import (
	"fmt"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
)

// circle is an error that wraps itself, so that errors.Is doesn't return.
type circle struct{}

func (circle) Error() string   { return "a circle" }
func (c circle) Unwrap() error { return c }

func TestFlightOfAnErrorThatWrapsItself(t *testing.T) {
	ctx := observe.With(t.Context(), observe.Flight(10))
	p := flow.Catch(step.Func(func(step.Scope, int) (int, error) { return 0, circle{} }),
		func(_ step.Scope, err error) step.Next[int] { panic(err) })
	_, err := flow.Run(ctx, p, 1)
	e, ok := fault.AsType[*fault.Error](err)
	if !ok || len(e.Record) == 0 || e.Code != fault.InternalError {
		t.Errorf("got %v without a record", err)
	}
	_ = fmt.Sprintf("%+v", err)
}
