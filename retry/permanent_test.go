package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

// lost is an error that knows whether it would come again.
type lost bool

func (l lost) Error() string { return "lost" }

func (l lost) Permanent() bool { return bool(l) }

// Permanent chooses the errors after which the zero Policy tries no second time.
func TestPermanentIsTheRuleOfTheZeroPolicy(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{io.EOF, false},
		{context.DeadlineExceeded, false},
		{fault.New(fault.ConnectError, "down"), false},
		{fault.New("NoMoney", "the account is empty"), false},
		{fault.Wrap(fault.InternalError, "a Go error", io.EOF), false},
		{fault.New(fault.InternalError, "a defect"), true},
		{fault.New(fault.Cancelled, ""), true},
		{fmt.Errorf("wrapped: %w", fault.New(fault.Unauthorized, "who?")), true},
		{fmt.Errorf("wrapped: %w", lost(true)), true},
		{lost(false), false},
		{errors.Join(io.EOF, lost(true)), true},
	} {
		attempts := 0
		_, err := flow.Run(t.Context(), retry.Of(retry.Policy{Tries: 2}, step.Func(func(_ step.Scope, in int) (int, error) {
			attempts++
			return in, c.err
		})), 1)
		if got := retry.Permanent(c.err); got != c.want || got != (attempts == 1) || err == nil {
			t.Errorf("%v: permanent is %v after %d attempts, want %v", c.err, got, attempts, c.want)
		}
	}
	if retry.Permanent(nil) {
		t.Error("nil is permanent")
	}
}
