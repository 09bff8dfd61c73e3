//go:build cgo

package cabi_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func TestThreadFasterThanTheCode(t *testing.T) {
	soon := func(how string) flow.Plan[int32, int32] {
		return flow.Timeout(time.Second, cabi.Call(&number, code(mock.Soon, 0, mock.Text(how)), &number))
	}
	for _, c := range []struct {
		name string
		plan flow.Plan[int32, int32]
		want int32
		err  error
	}{
		{"success counts when the code waits", soon("waits"), 4, nil},
		{"so does an error", soon("fails, waits"), 0, fault.Code("Soon")},
		{"code that doesn't wait has succeeded without a value (§1.6)", soon(""), 0, fault.InvalidRequest},
		{"for that an error, too, is too late", soon("fails"), 0, fault.InvalidRequest},
		{"a second step of the same run has its own", flow.Then(soon("waits"), soon("waits")), 4, nil},
		{"what the body has left is nothing to its handler", flow.Catch(
			soon(""),
			func(as step.Scope, _ error) step.Next[int32] { return step.Into(as, soon("waits"), 1) },
		), 4, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 3 {
				got, err := flow.Run(context.Background(), c.plan, 1)
				if got != c.want || !errors.Is(err, c.err) {
					t.Errorf("got %d, %v", got, err)
				}
			}
			if n := cabi.Live(); n != 0 {
				t.Errorf("%d pointers are alive", n)
			}
		})
	}
}

// The thread completes the step while its code returns, or just after that.
func TestThreadFasterThanTheEngine(t *testing.T) {
	plan := flow.Timeout(10*time.Second, cabi.Call(&number, code(mock.SoonAfter, 0, 0), &number))
	for i := range int32(3000) {
		if got, err := flow.Run(t.Context(), plan, i%300*10); got != 4 || err != nil {
			t.Fatalf("after %d runs: got %d, %v", i, got, err)
		}
	}
}

// C6: the completion for the body comes too late, and doesn't complete the wait of its handler.
func TestThreadLateForTheBody(t *testing.T) {
	late := cabi.Call(&number, code(mock.Waits, mock.Late, 0), &number)
	if got, err := flow.Run(context.Background(), late, 1); !errors.Is(err, fault.Timeout) {
		t.Errorf("got %d, %v", got, err)
	}
}

// The values are reset while no lock is held, because their cleanup may call the table.
func TestCleanupOfWhatCameSoon(t *testing.T) {
	drops := cabi.Call(&number, code(mock.Drops, 0, mock.Text("Own")), &number)
	for range 3 {
		if got, err := flow.Run(context.Background(), drops, 1); !errors.Is(err, fault.Code("Own")) {
			t.Errorf("got %d, %v", got, err)
		}
	}
}
