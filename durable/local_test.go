package durable_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/sdk/testsuite"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/durabletest"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// locally calls fn with an engine of this process, in virtual time.
func locally(t *testing.T, fn func(t *testing.T, on durable.Engine)) {
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

// A plan with keys, signals, places and waits of days does the same on a local engine as on a server.
func TestLocal(t *testing.T) {
	w := durable.New("orders", flow.Then(reserve, flow.Then(flow.Carry(approved), step.Map(func(p flow.Pair[order, string]) string {
		return p.A.Item + " by " + p.B
	}))))
	locally(t, func(t *testing.T, on durable.Engine) {
		run, err := w.Start(t.Context(), on, "o-1", order{Item: "teapot"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = w.Start(t.Context(), on, "o-1", order{Item: "another"}); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if place, err := run.Place(t.Context()); place != "2 approval\n" || err != nil {
			t.Errorf("it stands at %q, %v", place, err)
		}
		if picture, err := run.Picture(t.Context()); !strings.Contains(picture, "#ffdf99") || err != nil {
			t.Errorf("got %v\n%s", err, picture)
		}
		if err = durable.Send(t.Context(), w.Attach(on, "o-1"), "approval", approval{"Ann"}); err != nil {
			t.Error(err)
		}
		if out, err := run.Wait(t.Context()); out != "teapot o-1/0#1 by Ann" || err != nil {
			t.Errorf("got %q, %v", out, err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		run, err = w.Start(t.Context(), on, "o-2", order{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = run.Wait(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if _, err = w.Attach(on, "o-3").Wait(t.Context()); !errors.Is(err, durable.ErrNoRun) {
			t.Errorf("got %v", err)
		}
	})
}

// A run that has ended, or was never started, gets no signals.
func TestLocalEnded(t *testing.T) {
	w := durable.New("waits", waits)
	locally(t, func(t *testing.T, on durable.Engine) {
		run, err := w.Start(t.Context(), on, "waits-1", 1)
		if err != nil {
			t.Fatal(err)
		}
		if err = durable.Send(t.Context(), run, "go", 41); err != nil {
			t.Error(err)
		}
		if out, err := run.Wait(t.Context()); out != 42 || err != nil {
			t.Errorf("got %d, %v", out, err)
		}
		ended(t, run, w.Attach(on, "waits-2"))
	})
}

// An id stands for one run, whose result may be of another type than the caller expects.
func TestLocalOtherWorkflow(t *testing.T) {
	number := durable.New("number", step.Map(func(n int) int { return n }))
	text := durable.New("text", step.Map(func(int) string { return "" }))
	locally(t, func(t *testing.T, on durable.Engine) {
		if _, err := number.Start(t.Context(), on, "one", 1); err != nil {
			t.Fatal(err)
		}
		run, err := text.Start(t.Context(), on, "one", 2)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = run.Wait(t.Context()); !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "one is of another workflow") {
			t.Errorf("got %v", err)
		}
	})
}

// A named flow.Call is a run of its own on a local engine as on a server: it has its own id, keys and signals, and begins anew by itself.
func TestCallIsARun(t *testing.T) {
	key := step.Await(func(ctx context.Context, in string) (string, error) { return in + durable.Key(ctx) + " ", nil })
	again := flow.Then(key, step.Map(func(s string) durable.Again[string] {
		return durable.Again[string]{In: s, More: strings.Count(s, " ") < 2}
	}))
	poll := flow.Then(flow.Named("poll", flow.Call(again)), step.Map(func(a durable.Again[string]) string { return a.In }))
	ask := flow.Named("ask", flow.Call(flow.Then(flow.Carry(heard("go")), step.Map(func(p flow.Pair[string, string]) string { return p.A + p.B }))))
	w := durable.New("calls", flow.Then(poll, flow.Timeout(time.Hour, ask)))

	const at = "default-test-workflow-id"
	out, err := durabletest.Run(w, "", func(e *testsuite.TestWorkflowEnvironment) {
		e.RegisterDelayedCallback(func() {
			if err := e.SignalWorkflowByID(at+"/2/0#1", "go", 7); err != nil {
				t.Error(err)
			}
		}, time.Minute)
	})
	if want := at + "/0#1/0#1 " + at + "/0#1~1/0#1 go7"; out != want || err != nil {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
	locally(t, func(t *testing.T, on durable.Engine) {
		run, err := w.Start(t.Context(), on, "o", "")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if place, err := run.Place(t.Context()); place != "2/0 ask\n" || err != nil {
			t.Errorf("it stands at %q, %v", place, err)
		}
		if err = durable.Send(t.Context(), w.Attach(on, "o/2/0#1"), "go", 7); err != nil {
			t.Error(err)
		}
		if out, err := run.Wait(t.Context()); out != "o/0#1/0#1 o/0#1~1/0#1 go7" || err != nil {
			t.Errorf("on a local engine: got %q, %v", out, err)
		}
	})
}

// The cancel of a run reaches the calls in it.
func TestLocalCancelOfCall(t *testing.T) {
	hooks := 0
	w := durable.New("parent", flow.Named("child", flow.Call(flow.OnCancel(waits, func(step.Scope) { hooks++ }))))
	locally(t, func(t *testing.T, on durable.Engine) {
		run, err := w.Start(t.Context(), on, "o", 1)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err = run.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err = run.Wait(t.Context()); !errors.Is(err, fault.Cancelled) || hooks != 1 {
			t.Errorf("got %v, and %d hooks", err, hooks)
		}
	})
}

// Nil arguments are refused.
func TestNil(t *testing.T) {
	w := durable.New("orders", step.Map(func(n int) int { return n }))
	on, loop := durable.Local()
	defer func() {
		if err := loop.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	var none context.Context
	for name, call := range map[string]func() error{
		"no engine":                func() error { _, err := w.Start(t.Context(), durable.Engine{}, "o", 1); return err },
		"no loop":                  func() error { return durable.LocalLoop{}.Shutdown(t.Context()) },
		"no client":                func() error { _, err := w.Start(t.Context(), durable.Temporal(nil, "q"), "o", 1); return err },
		"no registry":              func() error { return w.Register(nil) },
		"no registry of workflows": func() error { return w.RegisterWorkflows(nil) },
		"no context to start":      func() error { _, err := w.Start(none, on, "o", 1); return err },
		"no context to wait":       func() error { _, err := w.Attach(on, "o").Wait(none); return err },
		"no context to cancel":     func() error { return w.Attach(on, "o").Cancel(none) },
		"no context for the place": func() error { _, err := w.Attach(on, "o").Place(none); return err },
		"no context to draw":       func() error { _, err := w.Attach(on, "o").Picture(none); return err },
		"no context to send":       func() error { return durable.Send(none, w.Attach(on, "o"), "s", 1) },
	} {
		if err := call(); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestLocalCancel(t *testing.T) {
	hooks := 0
	hangs := step.Await(func(ctx context.Context, _ int) (int, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	})
	w := durable.New("hangs", flow.OnCancel(flow.Timeout(240*time.Hour, hangs), func(step.Scope) { hooks++ }))
	locally(t, func(t *testing.T, on durable.Engine) {
		run, err := w.Start(t.Context(), on, "h", 1)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err = run.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err = run.Wait(t.Context()); !errors.Is(err, fault.Cancelled) || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		late, err := w.Start(t.Context(), on, "late", 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = late.Wait(t.Context()); !errors.Is(err, fault.Timeout) {
			t.Errorf("got %v", err)
		}
	})
	if hooks != 2 {
		t.Errorf("the hooks were called %d times, want 2", hooks)
	}
}

// A body that panics fails its step.
func TestLocalBreaksOff(t *testing.T) {
	w := durable.New("breaks", step.Await(func(context.Context, int) (int, error) { panic("boom") }))
	locally(t, func(t *testing.T, on durable.Engine) {
		run, err := w.Start(t.Context(), on, "b", 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = run.Wait(t.Context()); !errors.Is(err, fault.InternalError) || !strings.Contains(err.Error(), "boom") {
			t.Errorf("got %v", err)
		}
	})
}
