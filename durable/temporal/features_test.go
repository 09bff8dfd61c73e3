package temporal_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	sdktemporal "go.temporal.io/sdk/temporal"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

type approval struct{ By string }

var approved = flow.Then(step.Map(func(order) struct{} { return struct{}{} }),
	flow.Then(durable.Signal[approval]("approval"), step.Map(func(a approval) string { return a.By })))

func TestSignal(t *testing.T) {
	twice := flow.Then(flow.Carry(approved), step.New(func(as step.Scope, p flow.Pair[order, string]) step.Next[string] {
		return step.Into(as, flow.Then(approved, step.Map(func(by string) string { return p.B + " and " + by })), p.A)
	}))
	w := durable.New("approve", twice)
	for _, c := range []struct {
		reason string
		after  [2]time.Duration
	}{
		{"while the run waits", [2]time.Duration{time.Hour, 2 * time.Hour}},
		{"both at once", [2]time.Duration{time.Hour, time.Hour}},
		{"before anybody waits", [2]time.Duration{0, 0}},
	} {
		e := env(t, temporal.Of(w).Register)
		for i, by := range []string{"Ann", "Bob"} {
			e.RegisterDelayedCallback(func() { e.SignalWorkflow("approval", approval{by}) }, c.after[i])
		}
		e.ExecuteWorkflow("approve", order{})
		var out string
		if err := e.GetWorkflowResult(&out); err != nil || out != "Ann and Bob" {
			t.Errorf("%s: got %q, %v", c.reason, out, err)
		}
	}
}

// The workflow ends after the loser, which lingers.
func TestLinger(t *testing.T) {
	var mu sync.Mutex
	var called []string
	calls := func(name string) step.Step[string, string] {
		return flow.Named(name, step.Await(func(_ context.Context, in string) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			called = append(called, name)
			return in + " " + name, nil
		}))
	}
	slow := flow.Grace(-1, flow.Shield(flow.Then(step.Delay[string](10*time.Minute), calls("slow"))))
	quick := flow.Then(step.Delay[string](time.Minute), calls("quick"))
	never := flow.Then(step.Delay[string](5*time.Minute), calls("never"))
	w := durable.New("linger", flow.Then(flow.First(flow.Linger(time.Hour, slow), flow.Linger(time.Hour, quick), flow.Linger(time.Hour, never)), calls("next")))
	e := env(t, temporal.Of(w).Register)
	e.ExecuteWorkflow("linger", "in")
	var out string
	if err := e.GetWorkflowResult(&out); err != nil || out != "in quick next" || strings.Join(called, " ") != "quick next slow" {
		t.Errorf("got %q, %v; called %v", out, err, called)
	}
}

// A step that has been left receives no signal. The step that waits after it does.
func TestSignalTooLate(t *testing.T) {
	hasty := flow.Catch(flow.Timeout(time.Minute, approved), func(as step.Scope, _ error) step.Next[string] {
		return step.Into(as, flow.Then(approved, step.Map(func(by string) string { return "at last " + by })), order{})
	})
	e := env(t, temporal.Of(durable.New("approve", hasty)).Register)
	e.RegisterDelayedCallback(func() { e.SignalWorkflow("approval", approval{"Ann"}) }, time.Hour)
	e.ExecuteWorkflow("approve", order{})
	var out string
	if err := e.GetWorkflowResult(&out); err != nil || out != "at last Ann" {
		t.Errorf("got %q, %v", out, err)
	}
	if _, err := flow.Run(t.Context(), approved, order{}); fault.CodeOf(err) != fault.InternalError || !strings.Contains(err.Error(), "durable.Signal approval") {
		t.Errorf("outside of a workflow: %v", err)
	}
}

func TestChild(t *testing.T) {
	body := step.Await(func(ctx context.Context, in int) (string, error) {
		if in < 0 {
			return "", errDeclined
		}
		return durable.Key(ctx), nil
	})
	plan := flow.Named("ship", flow.Call(flow.Named("pack", body)))
	w := durable.New("orders", plan, durable.Errors(map[string]error{"declined": errDeclined}))
	e := env(t, temporal.Of(w).Register)
	e.ExecuteWorkflow("orders", 1)
	var out string
	if err := e.GetWorkflowResult(&out); err != nil || out != "default-test-workflow-id/0#1/0#1" {
		t.Errorf("got %q, %v", out, err)
	}
	var met error
	w = durable.New("orders", flow.Catch(plan, func(_ step.Scope, err error) step.Next[string] {
		met = err
		return step.Succeed("")
	}), durable.Errors(map[string]error{"declined": errDeclined}))
	e = env(t, temporal.Of(w).Register)
	e.ExecuteWorkflow("orders", -1)
	if err := e.GetWorkflowError(); err != nil || !errors.Is(met, errDeclined) {
		t.Errorf("the handler was given %v; %v", met, err)
	}
}

// Each attempt is a call of its own, with its own key.
func TestRetry(t *testing.T) {
	var mu sync.Mutex
	var keys []string
	flaky := step.Await(func(ctx context.Context, in int) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		if keys = append(keys, durable.Key(ctx)); len(keys) < 3 {
			return 0, errDeclined
		}
		return in, nil
	})
	e := env(t, temporal.Of(durable.New("flaky", retry.Of(retry.Policy{Tries: 5, Pause: time.Hour}, flaky))).Register)
	e.ExecuteWorkflow("flaky", 7)
	if err := e.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	for i, key := range keys {
		if want := "default-test-workflow-id/0/0/0#" + string(rune('1'+i)); key != want {
			t.Errorf("call %d has the key %s, want %s", i, key, want)
		}
	}
}

func TestCancel(t *testing.T) {
	hooks := 0
	began := make(chan struct{}, 1)
	hangs := step.Await(func(ctx context.Context, _ int) (int, error) {
		began <- struct{}{}
		<-ctx.Done()
		return 0, ctx.Err()
	})
	undone := step.Await(func(context.Context, int) (int, error) { return 0, nil })
	plan := flow.Saga(flow.Then(flow.Undo(step.Map(func(int) int { return 1 }), undone), flow.OnCancel(hangs, func(step.Scope) { hooks++ })))
	w := durable.New("hangs", plan, durable.Heartbeat(time.Second))
	e := env(t, temporal.Of(w).Register)
	e.SetOnActivityHeartbeatListener(func(*activity.Info, converter.EncodedValues) { e.CancelWorkflow() })
	e.ExecuteWorkflow("hangs", 1)
	if err := e.GetWorkflowError(); !sdktemporal.IsCanceledError(err) {
		t.Errorf("got %v", err)
	}
	if hooks != 1 {
		t.Errorf("the hook was called %d times", hooks)
	}
	<-began
}

// A body sends heartbeats while it runs, and none if it returns before the first one is due.
func TestHeartbeats(t *testing.T) {
	heard := make(chan string, 10)
	quick := flow.Named("quick", step.Await(func(_ context.Context, n int) (int, error) { return n, nil }))
	slow := flow.Named("slow", step.Await(func(ctx context.Context, n int) (int, error) {
		select {
		case name := <-heard:
			heard <- name
			return n, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}))
	e := env(t, temporal.Of(durable.New("beats", flow.Then(quick, slow), durable.Heartbeat(time.Second))).Register)
	e.SetOnActivityHeartbeatListener(func(a *activity.Info, _ converter.EncodedValues) { heard <- a.ActivityType.Name })
	e.ExecuteWorkflow("beats", 1)
	if err := e.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if name := <-heard; name != "beats.slow" {
		t.Errorf("%s has sent a heartbeat", name)
	}
}

func TestAfterCancel(t *testing.T) {
	began := make(chan struct{})
	hangs := step.Await(func(ctx context.Context, n int) (int, error) {
		close(began)
		<-ctx.Done()
		return n, ctx.Err()
	})
	quick := step.Await(func(_ context.Context, n int) (int, error) {
		<-began
		return n + 1, nil
	})
	each := flow.Then(step.Map(func(n int) []int { return []int{n, n, n} }), flow.ParEach(3, quick))
	e := env(t, temporal.Of(durable.New("races", flow.Then(flow.First(hangs, quick), each), durable.Heartbeat(time.Second))).Register)
	e.ExecuteWorkflow("races", 1)
	var out []int
	if err := e.GetWorkflowResult(&out); err != nil || len(out) != 3 || out[2] != 3 {
		t.Errorf("got %v, %v", out, err)
	}
}

type state struct{ N int }

func TestAgain(t *testing.T) {
	plan := step.Await(func(ctx context.Context, s state) (durable.Again[state], error) {
		if want := "loops"; !strings.HasPrefix(durable.Key(ctx), want) && !strings.HasPrefix(durable.Key(ctx), "default") {
			return durable.Again[state]{}, errors.New(durable.Key(ctx))
		}
		return durable.Again[state]{In: state{s.N + 1}, More: s.N < 3}, nil
	})
	w := durable.New("loops", plan)
	e := env(t, temporal.Of(w).Register)
	e.ExecuteWorkflow("loops", state{})
	if err := e.GetWorkflowError(); err == nil || !strings.Contains(err.Error(), "continue as new") {
		t.Errorf("got %v", err)
	}
	on, loop := durable.Local()
	defer func() { _ = loop.Shutdown(context.Background()) }()
	run, err := w.Start(t.Context(), on, "loops", state{})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := run.Wait(withinLimit(t)); out != (durable.Again[state]{In: state{4}}) || err != nil {
		t.Errorf("got %v, %v", out, err)
	}
}

func TestKeysAgain(t *testing.T) {
	w := durable.New("loops", keeps)
	on, loop := durable.Local()
	defer func() { _ = loop.Shutdown(context.Background()) }()
	run, err := w.Start(t.Context(), on, "loops", nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := run.Wait(withinLimit(t))
	if got, want := strings.Join(out.In, " "), "loops/0#1 loops~1/0#1 loops~2/0#1"; got != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// keeps begins anew twice. Its result is the keys of its calls.
var keeps = step.Await(func(ctx context.Context, keys []string) (durable.Again[[]string], error) {
	keys = append(keys, durable.Key(ctx))
	return durable.Again[[]string]{In: keys, More: len(keys) < 3}, nil
})

func TestAlso(t *testing.T) {
	refund := step.Await(func(ctx context.Context, _ int) (string, error) { return durable.Key(ctx), nil })
	plan := step.New(func(as step.Scope, in int) step.Next[string] { return step.Into(as, refund, in) })
	e := env(t, temporal.Of(durable.New("orders", plan, durable.Also("refund", refund))).Register)
	e.ExecuteWorkflow("orders", 1)
	var out string
	if err := e.GetWorkflowResult(&out); err != nil || out != "default-test-workflow-id/0/0#1" {
		t.Errorf("got %q, %v", out, err)
	}
	e = env(t, temporal.Of(durable.New("orders", plan)).Register)
	e.ExecuteWorkflow("orders", 1)
	if err := e.GetWorkflowError(); err == nil || !strings.Contains(err.Error(), "features_test.go:") || !strings.Contains(err.Error(), "durable.Also") {
		t.Errorf("got %v", err)
	}
}

type ownGuard struct{}

func (ownGuard) Enter(*syncx.Ticket) (bool, error) { return true, nil }
func (ownGuard) Leave(*syncx.Ticket)               {}
func (ownGuard) Withdraw(*syncx.Ticket)            {}

var perItem = syncx.PerKey(func(n int) int { return n }, func(int) syncx.Guard { return syncx.NewMutex(1, -1) })

func unwindInt(_ step.Scope, _ error) step.Next[int] { return step.Unwind[int]() }

// Each call of the body enters and leaves the section.
func TestGuardInBody(t *testing.T) {
	printer := syncx.NewMutex(1, -1)
	printed := 0
	page := step.Await(func(_ context.Context, n int) (int, error) {
		printed++ // without a lock of its own: the guard excludes the other calls
		return n + 1, nil
	})
	exclusive := step.Await(func(ctx context.Context, n int) (int, error) {
		return flow.Run(ctx, syncx.Sync(printer, page), n)
	})
	e := env(t, temporal.Of(durable.New("printing", flow.Then(flow.Par(exclusive, exclusive, exclusive), step.Map(func(all []int) int { return all[0] + all[1] + all[2] })))).Register)
	e.ExecuteWorkflow("printing", 1)
	var out int
	if err := e.GetWorkflowResult(&out); err != nil || out != 6 || printed != 3 {
		t.Errorf("got %d, %v, and %d pages", out, err, printed)
	}
	if printer.Inside() != 0 {
		t.Error("the guard was not left")
	}
}

func TestRefusals(t *testing.T) {
	type private struct{ n int }
	id := func(_ context.Context, in int) (int, error) { return in, nil }
	ok := step.Await(id)
	through := func(s step.Step[int, int]) step.Step[int, int] {
		return flow.Then(step.Map(func(n int) int { return n }), s)
	}
	answers := step.Await(func(_ context.Context, keys []int) ([]share.Answer[int], error) {
		return make([]share.Answer[int], len(keys)), nil
	})
	for _, c := range []struct {
		reason string
		plan   step.Step[int, int]
		with   []durable.Option
		want   string
	}{
		{"a guard", through(syncx.Sync(syncx.NewMutex(1, -1), ok)), nil, "bad.1 sync: a syncx.Mutex lives in one process"},
		{"a guard of each key", through(syncx.SyncKeyed(perItem, ok)), nil, "bad.1 sync: a syncx.Keyed[int,int] lives in one process"},
		{"a guard with a handler", through(flow.Catch(syncx.Sync(syncx.NewLimiter(syncx.Limits{}), ok), unwindInt)), nil, "bad.1 sync: a syncx.Limiter lives in one process"},
		{"a guard of somebody else", through(syncx.Sync(ownGuard{}, ok)), nil, "bad.1 sync: the guard temporal_test.ownGuard has decided"},
		{"a memo", through(share.NewMemo(share.MemoPolicy{}, ok).Get()), nil, "bad.1 memo: what is shared lives in one process"},
		{"a batch", through(share.NewBatch(share.BatchPolicy{}, answers).Get()), nil, "bad.1 batch: what is shared lives in one process"},
		{"a memo with a name", through(flow.Named("price", share.NewMemo(share.MemoPolicy{}, ok).Get())), nil, "bad.1 memo: what is shared"},
		{"a channel", through(flow.Then(
			step.Await(func(context.Context, int) (chan int, error) { return nil, nil }), //nolint:nilnil // never called
			step.Map(func(chan int) int { return 0 }))), nil, "the result of bad.1 await: a chan int can't be stored"},
		{"a private field", through(flow.Then(
			step.Map(func(n int) private { return private{n} }),
			step.Await(func(_ context.Context, p private) (int, error) { return p.n, nil }))), nil, "the input of bad.2 await: a temporal_test.private has no exported fields"},
		{"an interface", through(flow.Then(
			step.Map(func(int) error { return nil }),
			step.Await(func(context.Context, error) (int, error) { return 0, nil }))), nil, "the input of bad.2 await: it can't be told which type to make of a stored error"},
		{"a nil body", through(step.Await[int, int](nil)), nil, "step.Await: the body is nil"},
		{"a patch without a name", through(durable.Patch("", ok, ok)), nil, "Patch: the name is empty"},
		{"a patch with a slash", through(durable.Patch("a/b", ok, ok)), nil, "Patch: the name is empty or has a slash"},
		{"a patch of several steps", through(durable.Patch("a", through(ok), ok)), nil, "Patch a: the former part is several steps"},
		{"a patch of nothing", through(durable.Patch[int, int]("a", nil, ok)), nil, "durable.Patch a: the former part is nil"},
		{"a patch by nothing", through(durable.Patch[int, int]("a", ok, nil)), nil, "durable.Patch a: the present part is nil"},
		{"a named patch", through(flow.Named("pay", durable.Patch("a", ok, ok))), nil, "bad.1: the name pay is given to durable.Patch a"},
		{"a guard in a patch", through(durable.Patch("a", ok, syncx.Sync(syncx.NewMutex(1, -1), ok))), nil, "bad.1/patch.a/0 sync"},
		{"in another plan", ok, []durable.Option{durable.Also("refund", through(syncx.Sync(syncx.NewMutex(1, -1), ok)))}, "bad.refund.1 sync"},
		{"two of a name", ok, []durable.Option{durable.Also("a", ok), durable.Also("a", ok)}, "two plans of the name a"},
		{"no name", ok, []durable.Option{durable.Also("", ok)}, "the name is empty"},
		{"a nil error", ok, []durable.Option{durable.Errors(map[string]error{"x": nil})}, "the error x is nil"},
		{"a heartbeat", ok, []durable.Option{durable.Heartbeat(time.Millisecond)}, "durable.Heartbeat: 1ms"},
		{"a limit", ok, []durable.Option{durable.Longest(0)}, "durable.Longest: 0s"},
		{"an attribute without a name", ok, []durable.Option{durable.SearchAttribute("")}, "durable.SearchAttribute: the name is empty"},
		{"a nil option", ok, []durable.Option{durable.Longest(time.Hour), nil}, "option 1 is nil"},
		{"a signal without a name", through(flow.Then(step.Map(func(int) struct{} { return struct{}{} }), durable.Signal[int](""))), nil, "Signal: the name is empty"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			w := durable.New("bad", c.plan, c.with...)
			if err := w.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("Err says %v, want %q", err, c.want)
			}
			if !errors.Is(w.Err(), fault.InvalidRequest) || temporal.Of(w).Register(nil) == nil {
				t.Error("it is no InvalidRequest, or it was registered")
			}
		})
	}
	if err := durable.New("", ok).Err(); err == nil {
		t.Error("a workflow without a name is accepted")
	}
	if err := durable.New("good", through(retry.Of(retry.Policy{Tries: 2}, ok))).Err(); err != nil {
		t.Error(err)
	}
}

func TestPlace(t *testing.T) {
	nap := flow.Named("nap", flow.Then(step.Delay[order](time.Hour), step.Map(func(order) string { return "" })))
	loops := tool.NewGroup(1, tool.Options{})
	defer func() { _ = loops.Shutdown(t.Context()) }()
	plan := flow.Par(approved, nap, flow.On(loops, nap))
	e := env(t, temporal.Of(durable.New("stands", plan)).Register)
	e.RegisterDelayedCallback(func() {
		for query, wants := range map[string][]string{
			"place":   {"0/par.0/1 approval\n", "0/par.1/0/0 delay\n", "0/par.2/0 on\n", "0/par.2/0/0/0 delay\n"},
			"picture": {"flowchart", "approval", "for 0s", "#ffdf99"},
		} {
			answer, err := e.QueryWorkflow(query)
			var text string
			if err == nil {
				err = answer.Get(&text)
			}
			for _, want := range wants {
				if !strings.Contains(text, want) {
					t.Errorf("%s: %v\n%s\nwant %q", query, err, text, want)
				}
			}
		}
		e.SignalWorkflow("approval", approval{"Ann"})
	}, time.Minute)
	e.ExecuteWorkflow("stands", order{})
	if err := e.GetWorkflowError(); err != nil {
		t.Error(err)
	}
}
