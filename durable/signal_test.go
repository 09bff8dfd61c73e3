package durable_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/flow"
)

// A signal of an interface type reaches the step of that type on a local engine too.
func TestSignalOfAnInterface(t *testing.T) {
	w := durable.New("any", flow.Timeout(time.Hour, durable.Signal[any]("go")))
	locally(t, func(t *testing.T, on durable.Engine) {
		for id, v := range map[string]any{"seven": 7, "nil": nil} {
			run, err := w.Start(t.Context(), on, id, struct{}{})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if err = durable.Send(t.Context(), run, "go", v); err != nil {
				t.Error(err)
			}
			if out, err := run.Wait(t.Context()); out != v || err != nil {
				t.Errorf("got %v, %v", out, err)
			}
		}
	})
}
