package durable_test

import (
	"fmt"
	"testing"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/step"
)

// asks is an input whose encoding asks the engine for a run.
type asks struct{ ask func() error }

func (a asks) MarshalJSON() ([]byte, error) { return []byte("{}"), a.ask() }

// The engine isn't locked while it looks whether an input can be stored, which calls code of the user.
func TestLocalStartWithAnInputThatStarts(t *testing.T) {
	e, loop := durable.Local()
	inner := durable.New("inner", step.Map(func(n int) int { return n + 1 }))
	outer := durable.New("outer", step.Map(func(asks) int { return 1 }))
	asked := 0
	run, err := outer.Start(t.Context(), e, "o", asks{func() error {
		asked++
		_, err := inner.Start(t.Context(), e, fmt.Sprint("i", asked), 1)
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := run.Wait(t.Context()); n != 1 || err != nil || asked == 0 {
		t.Errorf("%d, %v, asked %d times", n, err, asked)
	}
	if err := loop.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestLocalTakenID(t *testing.T) { enginetest.Locally(t, enginetest.WantTaken) }
