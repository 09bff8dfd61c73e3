package durable_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

type order struct {
	Item  string
	Cents int
}

var (
	reserve = flow.Named("reserve", step.Await(func(ctx context.Context, o order) (order, error) {
		o.Item += " " + durable.Key(ctx)
		return o, nil
	}))

	approved = flow.Then(step.Map(func(order) struct{} { return struct{}{} }),
		flow.Then(durable.Signal[approval]("approval"), step.Map(func(a approval) string { return a.By })))

	waits = flow.Then(flow.Carry(flow.Then(step.Map(func(int) struct{} { return struct{}{} }), durable.Signal[int]("go"))),
		step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B }))
)

// The same plan is tested on a server in package temporal.
func TestLocal(t *testing.T) {
	w := durable.New("orders", flow.Then(reserve, flow.Then(flow.Carry(approved), step.Map(func(p flow.Pair[order, string]) string {
		return p.A.Item + " by " + p.B
	}))))
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
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

func TestLocalEnded(t *testing.T) {
	w := durable.New("waits", waits)
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
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
		enginetest.WantEnded(t, run, w.Attach(on, "waits-2"))
	})
}

func TestLocalCancelOfCall(t *testing.T) {
	hooks := 0
	w := durable.New("parent", flow.Named("child", flow.Call(flow.OnCancel(waits, func(step.Scope) { hooks++ }))))
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		run, err := w.Start(t.Context(), on, "o", 1)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err = run.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err = run.Wait(t.Context()); !errors.Is(err, fault.Cancelled) || strings.Count(err.Error(), "Cancelled") != 1 || hooks != 1 {
			t.Errorf("got %v, and %d hooks", err, hooks)
		}
	})
}

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
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
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

func TestLocalBreaksOff(t *testing.T) {
	w := durable.New("breaks", step.Await(func(context.Context, int) (int, error) { panic("boom") }))
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		run, err := w.Start(t.Context(), on, "b", 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = run.Wait(t.Context()); !errors.Is(err, fault.InternalError) || !strings.Contains(err.Error(), "boom") {
			t.Errorf("got %v", err)
		}
	})
}

func TestSignalOfAnInterface(t *testing.T) {
	w := durable.New("any", flow.Timeout(time.Hour, durable.Signal[any]("go")))
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
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

// Steps of a run that a body starts in its context aren't places of the run around it.
func TestLocalBodyRunsAPlan(t *testing.T) {
	place := ""
	inner := flow.Then(step.Delay[string](time.Second), flow.Named("inner", step.Await(func(_ context.Context, in string) (string, error) { return in, nil })))
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		var run durable.Run[string]
		w := durable.New("outer", flow.Named("outer", step.Await(func(ctx context.Context, in string) (string, error) {
			go func() {
				time.Sleep(time.Millisecond)
				place, _ = run.Place(context.WithoutCancel(ctx))
			}()
			return flow.Run(ctx, inner, in)
		})))
		run = w.Attach(on, "a")
		if _, err := w.Start(t.Context(), on, "a", "in"); err != nil {
			t.Fatal(err)
		}
		if out, err := run.Wait(t.Context()); out != "in" || err != nil {
			t.Errorf("got %q, %v", out, err)
		}
		synctest.Wait()
	})
	if place != "0 outer\n" {
		t.Errorf("the run stood at %q", place)
	}
}

// What is in a flow.On stays on the loop of the run.
func TestLocalPlaceInsideOfOn(t *testing.T) {
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		loops := tool.NewGroup(1, tool.Options{})
		w := durable.New("parts", flow.On(loops, flow.Named("slow", step.Delay[int](time.Second))))
		run, err := w.Start(t.Context(), on, "a", 7)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if place, err := run.Place(t.Context()); place != "0 on\n0/0 slow\n" || err != nil {
			t.Errorf("it stands at %q, %v", place, err)
		}
		if out, err := run.Wait(t.Context()); out != 7 || err != nil {
			t.Errorf("got %d, %v", out, err)
		}
		if err := loops.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

type panickingHandler struct{ slog.Handler }

func (panickingHandler) Enabled(context.Context, slog.Level) bool { return true }

func (panickingHandler) Handle(context.Context, slog.Record) error { panic("no log") }

// The handler that is told of an unheard signal panics.
func TestLocalLogPanics(t *testing.T) {
	before := slog.Default()
	slog.SetDefault(slog.New(panickingHandler{slog.DiscardHandler}))
	defer slog.SetDefault(before)
	w := durable.New("waits", flow.Then(step.Delay[int](time.Minute), waits))
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		run, err := w.Start(t.Context(), on, "w", 1)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err = durable.Send(t.Context(), run, "go", 41); err != nil {
				t.Error(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if out, err := run.Wait(ctx); out != 42 || err != nil {
			t.Errorf("got %d, %v", out, err)
		}
	})
}

func TestLocalLeavesGoroutineBehind(t *testing.T) {
	beside := flow.Named("beside", step.Await(func(_ context.Context, n int) (int, error) { return n, nil }))
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		over := make(chan struct{})
		body := flow.Named("body", step.Await(func(ctx context.Context, n int) (int, error) {
			ctx = context.WithoutCancel(ctx)
			go func() {
				for {
					select {
					case <-over:
						return
					default:
						_, _ = flow.Run(ctx, beside, n)
					}
				}
			}()
			return n, nil
		}))
		w := durable.New("again", flow.Then(body, step.Map(func(n int) durable.Again[int] { return durable.Again[int]{In: n + 1, More: n < 20} })))
		run, err := w.Start(t.Context(), on, "a", 0)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if place, err := run.Place(t.Context()); strings.Contains(place, "beside") || err != nil {
				t.Errorf("it stands at %q, %v", place, err)
			}
		}
		if _, err := run.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		close(over)
	})
}

// breaking is a value whose method for JSON panics, or ends the goroutine.
type breaking struct{ Panics, Leaves bool }

func (b breaking) MarshalJSON() ([]byte, error) {
	if b.Panics {
		panic("boom")
	}
	if b.Leaves {
		runtime.Goexit()
	}
	return []byte("{}"), nil
}

func TestLocalValueThatPanics(t *testing.T) { testBreaking(t, breaking{Panics: true}, "boom") }

func TestLocalValueThatEndsTheGoroutine(t *testing.T) {
	testBreaking(t, breaking{Leaves: true}, "Goexit")
}

func testBreaking(t *testing.T, armed breaking, says string) {
	t.Helper()
	arm := step.Map(func(breaking) breaking { return armed })
	body := step.Await(func(context.Context, breaking) (breaking, error) { return armed, nil })
	again := step.Map(func(breaking) durable.Again[breaking] { return durable.Again[breaking]{In: armed, More: true} })
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		for name, start := range map[string]func() error{
			"the result of a run":  func() error { return ended(t, durable.New("a", arm), on, "a", breaking{}) },
			"the result of a body": func() error { return ended(t, durable.New("b", body), on, "b", breaking{}) },
			"the input of a body":  func() error { return ended(t, durable.New("c", flow.Then(arm, body)), on, "c", breaking{}) },
			"the next beginning":   func() error { return ended(t, durable.New("d", again), on, "d", breaking{}) },
			"the input of a run":   func() error { return ended(t, durable.New("e", arm), on, "e", armed) },
			"the value of a signal": func() error {
				run := durable.New("f", durable.Signal[breaking]("go")).Attach(on, "f")
				return durable.Send(t.Context(), run, "go", armed)
			},
		} {
			if err := start(); !errors.Is(err, durable.ErrUnstorable) || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// ended returns the error with which a run of w has ended, or why it wasn't started.
func ended[In, Out any](t *testing.T, w *durable.Workflow[In, Out], on durable.Engine, id string, in In) error {
	t.Helper()
	run, err := w.Start(t.Context(), on, id, in)
	if err == nil {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err = run.Wait(ctx)
	}
	return err
}

// Place and Send return when their context ends. The loop may call their functions later.
func TestLocalContextEnds(t *testing.T) {
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		w := durable.New("waits", waits)
		run, err := w.Start(t.Context(), on, "w", 1)
		if err != nil {
			t.Fatal(err)
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		for range 100 { // often, for the race detector
			if _, err = run.Place(over); err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if err = durable.Send(over, run, "go", 1); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, durable.ErrNoRun) {
				t.Fatal(err)
			}
		}
	})
}
