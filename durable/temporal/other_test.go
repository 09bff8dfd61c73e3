package temporal_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// twoWorkflows returns two workflows with the same types. The first one has a child workflow.
func twoWorkflows() (asks, counts *durable.Workflow[int, int]) {
	return durable.New("asks", flow.Named("child", flow.Call(waits))), durable.New("counts", waits)
}

// begun returns the run of a child workflow once it has begun.
func begun[Out any](t *testing.T, w *durable.Workflow[int, Out], on durable.Engine, id string) durable.Run[Out] {
	t.Helper()
	run, ctx := w.Attach(on, id), withinLimit(t)
	for {
		_, err := run.Place(ctx)
		switch {
		case err == nil:
			return run
		case !errors.Is(err, durable.ErrNoRun):
			t.Fatal(err)
		}
		outer, _, _ := strings.Cut(id, "/")
		if _, err = w.Attach(on, outer).Place(ctx); err != nil { // so that this waits for a turn of the loop, or for the server
			t.Fatal(err)
		}
	}
}

// otherWorkflows checks that the id of a run of another workflow is refused, while the run lasts and when it has ended, and so is
// that of a child workflow.
func otherWorkflows(t *testing.T, on durable.Engine) {
	t.Helper()
	asks, counts := twoWorkflows()
	run, err := asks.Start(withinLimit(t), on, "one", 1)
	if err != nil {
		t.Fatal(err)
	}
	const child = "one/0#1"
	refused := func(when, id, of string) {
		t.Helper()
		_, err := counts.Start(withinLimit(t), on, id, 1)
		_, waited := counts.Attach(on, id).Wait(withinLimit(t))
		for what, err := range map[string]error{"start": err, "wait": waited} {
			if !errors.Is(err, durable.ErrOtherWorkflow) || !strings.Contains(err.Error(), `"`+id+`" is one of `+of+", not of counts") {
				t.Errorf("%s: %s: got %v", when, what, err)
			}
		}
	}
	refused("while it runs", "one", "asks")
	inner := begun(t, asks, on, child)
	if err = durable.Send(withinLimit(t), inner, "go", 3); err != nil {
		t.Fatal(err)
	}
	if out, err := run.Wait(withinLimit(t)); out != 4 || err != nil {
		t.Errorf("got %d, %v", out, err)
	}
	refused("when it has ended", "one", "asks")
	refused("of a child", child, "asks.child")
	if _, err = asks.Start(withinLimit(t), on, child, 1); !errors.Is(err, durable.ErrOtherWorkflow) {
		t.Errorf("a child's id is given away: %v", err)
	}
	if out, err := inner.Wait(withinLimit(t)); out != 4 || err != nil {
		t.Errorf("the result of the child: %d, %v", out, err)
	}
	if _, err = asks.Start(withinLimit(t), on, "one", 9); err != nil {
		t.Errorf("the same workflow: %v", err)
	}
}

func TestOtherWorkflow(t *testing.T) {
	t.Run("local", func(t *testing.T) { enginetest.Locally(t, otherWorkflows) })
	t.Run("server", func(t *testing.T) {
		c := serve(t).client()
		asks, counts := twoWorkflows()
		work(t, c, "other", temporal.Of(asks).Register, temporal.Of(counts).Register)
		otherWorkflows(t, temporal.Engine(c, "other"))
	})
}

// The error has the operator's reason. A plan whose child workflow was terminated gets the error too.
func TestTerminated(t *testing.T) {
	c := serve(t).client()
	var met error
	outer := flow.Catch(flow.Named("child", flow.Call(waits)), func(_ step.Scope, err error) step.Next[int] {
		met = err
		return step.Fail[int](err)
	})
	w := durable.New("killed", outer)
	work(t, c, "killed", temporal.Of(w).Register)
	on := temporal.Engine(c, "killed")
	starts := func(id string) durable.Run[int] {
		t.Helper()
		run, err := w.Start(t.Context(), on, id, 1)
		if err != nil {
			t.Fatal(err)
		}
		begun(t, w, on, id+"/0#1")
		return run
	}
	run := starts("whole")
	if err := c.TerminateWorkflow(t.Context(), "whole", "", "out of order"); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(withinLimit(t)); !errors.Is(err, durable.ErrTerminated) || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("got %v", err)
	}
	if _, err := w.Attach(on, "whole/0#1").Wait(withinLimit(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("the child: got %v", err)
	}
	run = starts("part")
	if err := c.TerminateWorkflow(t.Context(), "part/0#1", "", "out of order"); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(withinLimit(t)); !errors.Is(err, durable.ErrTerminated) || !errors.Is(met, durable.ErrTerminated) {
		t.Errorf("got %v, and the handler %v", err, met)
	}
}
