package enginetest

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/futoin-go/asyncsteps/durable"
)

// Locally calls fn with an engine of this process, in virtual time.
func Locally(t *testing.T, fn func(t *testing.T, on durable.Engine)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		on, loop := durable.Local()
		defer func() {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			_ = loop.Shutdown(ctx)
		}()
		fn(t, on)
	})
}

// WantEnded checks what can be done with a run that has ended with 42, and with one that was never started.
func WantEnded(t *testing.T, over, none durable.Run[int]) {
	t.Helper()
	if err := over.Cancel(t.Context()); err != nil {
		t.Errorf("a run that has ended is cancelled: %v", err)
	}
	if out, err := over.Wait(t.Context()); out != 42 || err != nil {
		t.Errorf("it is cancelled: %d, %v", out, err)
	}
	for what, call := range map[string]func() error{
		"a signal to a run that has ended": func() error { return durable.Send(t.Context(), over, "go", 1) },
		"a signal to no run":               func() error { return durable.Send(t.Context(), none, "go", 1) },
		"the cancel of no run":             func() error { return none.Cancel(t.Context()) },
		"the result of no run":             func() error { _, err := none.Wait(t.Context()); return err },
		"the place of no run":              func() error { _, err := none.Place(t.Context()); return err },
	} {
		if err := call(); !errors.Is(err, durable.ErrNoRun) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
