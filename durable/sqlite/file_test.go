package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

type order struct {
	Item  string
	Cents int
}

type approval struct{ By string }

var (
	reserve = flow.Named("reserve", step.Await(func(ctx context.Context, o order) (order, error) {
		o.Item += " " + durable.Key(ctx)
		return o, nil
	}))

	approved = flow.Then(step.Map(func(order) struct{} { return struct{}{} }),
		flow.Then(durable.Signal[approval]("approval"), step.Map(func(a approval) string { return a.By })))

	orders = durable.New("orders", flow.Then(reserve, flow.Then(flow.Carry(approved), step.Map(func(p flow.Pair[order, string]) string {
		return p.A.Item + " by " + p.B
	}))))
)

// openFile opens a file. Without an OnError in options the errors of the file fail the test.
func openFile(t *testing.T, path string, options sqlite.Options, with ...sqlite.Workflow) *sqlite.File {
	t.Helper()
	if options.OnError == nil {
		options.OnError = func(err error) { t.Errorf("reported: %v", err) }
	}
	f, err := sqlite.Open(t.Context(), path, options.Deaf(), with...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A body inside of flow.On that a limit has left isn't a place of the run any more.
func TestPlaceInsideOfOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		loops, left := tool.NewGroup(1, tool.Options{}), make(chan struct{})
		body := flow.Named("body", step.Await(func(_ context.Context, n int) (int, error) { <-left; return n, nil }))
		pause := flow.Named("pause", step.Delay[int](time.Hour))
		handler := func(as step.Scope, _ error) step.Next[int] { return step.Into(as, pause, 1) }
		limited := flow.Timeout(time.Second, flow.Grace(time.Millisecond, body))
		w := durable.New("parts", flow.On(loops, flow.Catch(limited, handler)))
		f := openFile(t, path, sqlite.Options{OnError: func(error) {}}, w) // which gets the report of the body that was left
		run, err := w.Start(t.Context(), f.Engine(), "a", 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"0 on\n0/0/0/0 body\n", "0 on\n0/0/0 pause\n"} {
			synctest.Wait()
			if place, err := run.Place(t.Context()); place != want || err != nil {
				t.Errorf("it stands at %q, %v, want %q", place, err, want)
			}
			time.Sleep(2 * time.Second)
		}
		close(left)
		closeFile(t, f)
		if err = loops.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func closeFile(t *testing.T, f *sqlite.File) {
	t.Helper()
	if err := f.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// A run goes on, and keeps its result, when the file is closed and opened again.
func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		f := openFile(t, path, sqlite.Options{}, orders)
		run, err := orders.Start(t.Context(), f.Engine(), "o-1", order{Item: "teapot"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = orders.Start(t.Context(), f.Engine(), "o-1", order{Item: "another"}); err != nil {
			t.Error(err)
		}
		for range 2 {
			synctest.Wait()
			if place, err := run.Place(t.Context()); place != "2 approval\n" || err != nil {
				t.Errorf("it stands at %q, %v", place, err)
			}
			if picture, err := run.Picture(t.Context()); !strings.Contains(picture, "#ffdf99") || err != nil {
				t.Errorf("got %v\n%s", err, picture)
			}
			closeFile(t, f)
			f = openFile(t, path, sqlite.Options{}, orders)
			run = orders.Attach(f.Engine(), "o-1")
		}
		if err = durable.Send(t.Context(), run, "approval", approval{"Ann"}); err != nil {
			t.Error(err)
		}
		for range 2 {
			if out, err := run.Wait(t.Context()); out != "teapot o-1/0#1 by Ann" || err != nil {
				t.Errorf("got %q, %v", out, err)
			}
			closeFile(t, f)
			f = openFile(t, path, sqlite.Options{}, orders)
			run = orders.Attach(f.Engine(), "o-1")
		}
		closeFile(t, f)
	})
}

func TestNoRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	f := openFile(t, path, sqlite.Options{}, orders)
	never := orders.Attach(f.Engine(), "never")
	over, err := orders.Start(t.Context(), f.Engine(), "over", order{})
	if err == nil {
		err = over.Cancel(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err = over.Wait(t.Context()); !errors.Is(err, fault.Cancelled) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err = over.Cancel(t.Context()); err != nil {
		t.Errorf("a run that has ended is cancelled: %v", err)
	}
	if place, err := over.Place(t.Context()); place != "" || err != nil {
		t.Errorf("a run that has ended stands at %q, %v", place, err)
	}
	calls := map[string]func() error{
		"a signal to a run that has ended": func() error { return durable.Send(t.Context(), over, "approval", approval{}) },
		"a signal to no run":               func() error { return durable.Send(t.Context(), never, "approval", approval{}) },
		"the cancel of no run":             func() error { return never.Cancel(t.Context()) },
		"the result of no run":             func() error { _, err := never.Wait(t.Context()); return err },
		"the place of no run":              func() error { _, err := never.Place(t.Context()); return err },
	}
	for what, call := range calls {
		if err := call(); !errors.Is(err, durable.ErrNoRun) {
			t.Errorf("%s: %v", what, err)
		}
	}
	closeFile(t, f)
	calls["a start"] = func() error { _, err := orders.Start(t.Context(), f.Engine(), "late", order{}); return err }
	for what, call := range calls {
		if err := call(); !errors.Is(err, fault.InvalidRequest) || errors.Is(err, durable.ErrNoRun) {
			t.Errorf("%s on a closed file: %v", what, err)
		}
	}
}

func TestOtherWorkflow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	number := durable.New("number", step.Map(func(n int) int { return n }))
	text := durable.New("text", step.Map(func(int) string { return "" }))
	f := openFile(t, path, sqlite.Options{}, number, text)
	defer closeFile(t, f)
	if _, err := number.Start(t.Context(), f.Engine(), "one", 1); err != nil {
		t.Fatal(err)
	}
	run, err := text.Start(t.Context(), f.Engine(), "one", 2)
	if !errors.Is(err, durable.ErrOtherWorkflow) {
		t.Errorf("got %v", err)
	}
	if _, err = run.Wait(t.Context()); !errors.Is(err, durable.ErrOtherWorkflow) {
		t.Errorf("got %v", err)
	}
}

func TestTimers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	w := durable.New("waits", flow.Timeout(72*time.Hour, durable.Signal[int]("never")))
	synctest.Test(t, func(t *testing.T) {
		f := openFile(t, path, sqlite.Options{}, w)
		began := time.Now()
		if _, err := w.Start(t.Context(), f.Engine(), "w", struct{}{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(24 * time.Hour)
		closeFile(t, f)
		time.Sleep(24 * time.Hour)
		f = openFile(t, path, sqlite.Options{}, w)
		if _, err := w.Attach(f.Engine(), "w").Wait(t.Context()); !errors.Is(err, fault.Timeout) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != 72*time.Hour {
			t.Errorf("the limit has passed after %v", took)
		}
		closeFile(t, f)
	})
}

// A run begins anew with the signals that no step has received, and its history has nothing of what was before.
func TestAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	sum := flow.Then(flow.Carry(flow.Then(step.Map(func(int) struct{} { return struct{}{} }), durable.Signal[int]("n"))),
		step.Map(func(p flow.Pair[int, int]) durable.Again[int] {
			return durable.Again[int]{In: p.A + p.B, More: p.B != 0}
		}))
	w := durable.New("sums", sum)
	synctest.Test(t, func(t *testing.T) {
		f := openFile(t, path, sqlite.Options{}, w)
		run, err := w.Start(t.Context(), f.Engine(), "s", 0)
		for n := 10; err == nil && n >= 0; n-- {
			if err = durable.Send(t.Context(), run, "n", n); n == 5 {
				closeFile(t, f)
				f = openFile(t, path, sqlite.Options{}, w)
				run = w.Attach(f.Engine(), "s")
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if out, err := run.Wait(t.Context()); out.In != 55 || err != nil {
			t.Errorf("got %v, %v", out, err)
		}
		if h, err := f.Operator().History(t.Context(), "s"); len(h.Events) > 3 || h.Events[0].Kind != "anew" || err != nil { // at most the beginning, the last signal, the end
			t.Errorf("the history is %+v, %v", h.Events, err)
		}
		closeFile(t, f)
	})
}

func TestCall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	key := step.Await(func(ctx context.Context, in string) (string, error) { return in + durable.Key(ctx) + " ", nil })
	again := flow.Then(key, step.Map(func(s string) durable.Again[string] {
		return durable.Again[string]{In: s, More: strings.Count(s, " ") < 2}
	}))
	poll := flow.Then(flow.Named("poll", flow.Call(again)), step.Map(func(a durable.Again[string]) string { return a.In }))
	heard := flow.Then(step.Map(func(string) struct{} { return struct{}{} }),
		flow.Then(durable.Signal[int]("go"), step.Map(func(n int) string { return fmt.Sprint("go", n) })))
	hooks := 0
	ask := flow.Named("ask", flow.Call(flow.OnCancel(flow.Then(flow.Carry(heard), step.Map(func(p flow.Pair[string, string]) string { return p.A + p.B })),
		func(step.Scope) { hooks++ })))
	w := durable.New("calls", flow.Then(poll, ask))
	synctest.Test(t, func(t *testing.T) {
		f := openFile(t, path, sqlite.Options{}, w)
		run, err := w.Start(t.Context(), f.Engine(), "o", "")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if place, err := run.Place(t.Context()); place != "2 ask\n" || err != nil {
			t.Errorf("it stands at %q, %v", place, err)
		}
		closeFile(t, f)
		f = openFile(t, path, sqlite.Options{}, w)
		if err = durable.Send(t.Context(), w.Attach(f.Engine(), "o/2#1"), "go", 7); err != nil {
			t.Error(err)
		}
		if out, err := w.Attach(f.Engine(), "o").Wait(t.Context()); out != "o/0#1/0#1 o/0#1~1/0#1 go7" || err != nil {
			t.Errorf("got %q, %v", out, err)
		}
		run, err = w.Start(t.Context(), f.Engine(), "p", "")
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
		closeFile(t, f)
	})
}

type message struct{ A int }

func (*message) ProtoReflect() {}

func TestOpenWithNil(t *testing.T) {
	var none *durable.Workflow[int, int]
	for _, w := range []sqlite.Workflow{nil, none} {
		if _, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "app.db"), sqlite.Options{}, w); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("got %v", err)
		}
	}
}

func TestOpenRefusesProtobuf(t *testing.T) {
	for what, w := range map[string]sqlite.Workflow{
		"the input is one":         durable.New("a", step.Map(func(message) int { return 0 })),
		"the input points to one":  durable.New("b", step.Map(func(*message) int { return 0 })),
		"the result holds some":    durable.New("c", step.Map(func(int) []*message { return nil })),
		"a signal carries one":     durable.New("e", flow.Then(step.Map(func(int) struct{} { return struct{}{} }), flow.Then(durable.Signal[*message]("go"), step.Map(func(*message) int { return 0 })))),
		"the input of a body does": durable.New("d", flow.Then(step.Map(func(int) []*message { return nil }), step.Await(func(context.Context, []*message) (int, error) { return 0, nil }))),
	} {
		f, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "app.db"), sqlite.Options{}, w)
		if !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("%s: %v", what, err)
		}
		if f != nil {
			closeFile(t, f)
		}
	}
}
