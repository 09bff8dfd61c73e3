package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	history "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	sdktemporal "go.temporal.io/sdk/temporal"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

func historyOf(t testing.TB, c client.Client, id string) *history.History {
	t.Helper()
	h := new(history.History)
	for events := c.GetWorkflowHistory(t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); events.HasNext(); {
		e, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		h.Events = append(h.Events, e)
	}
	return h
}

// resultAndError makes an error of s part of the result. Otherwise the result of a random plan would be the error of the branch that
// fails first, which depends on the times that bodies take.
func resultAndError(s step.Step[int, int]) step.Step[int, int] {
	return flow.Then(flow.Try(s), step.Map(func(r flow.Result[int]) int { return r.Value + 17*len(fault.InfoOf(r.Err)) }))
}

// drawnPlan returns a random plan with up to size parts.
func drawnPlan(r *rand.Rand, size int) step.Step[int, int] {
	if size <= 1 {
		k := r.IntN(100)
		switch r.IntN(6) {
		case 0:
			return step.Map(func(n int) int { return n*31 + k })
		case 1:
			return flow.Then(step.Delay[int](time.Duration(r.IntN(20))*time.Millisecond), step.Map(func(n int) int { return n ^ k }))
		case 2:
			return step.Await(func(_ context.Context, n int) (int, error) {
				if (n+k)%3 == 0 {
					return 0, fault.New("Odd", fmt.Sprint(n))
				}
				return n + k, nil
			})
		default:
			return step.Await(func(_ context.Context, n int) (int, error) { return n*7 + k, nil })
		}
	}
	left := 1 + r.IntN(size-1)
	a, b := drawnPlan(r, left), drawnPlan(r, size-left)
	switch r.IntN(6) {
	case 0:
		return flow.Then(flow.Par2(a, resultAndError(b)), step.Map(func(p flow.Pair[int, int]) int { return p.A*3 - p.B }))
	case 1:
		return flow.Catch(a, func(as step.Scope, err error) step.Next[int] {
			return step.Into(as, flow.Then(step.Map(func(n int) int { return n + len(fault.CodeOf(err)) }), step.Map(func(n int) int { return n - 1 })), 5)
		})
	case 2:
		each := flow.ParEach(2, resultAndError(a))
		return flow.Then(step.Map(func(n int) []int { return []int{n, n + 1, n + 2} }), flow.Then(each, step.Map(func(all []int) int {
			sum := 0
			for i, n := range all {
				sum = sum*5 + n*i
			}
			return sum
		})))
	case 3:
		return flow.Timeout(time.Hour, flow.Then(a, b))
	case 4:
		return retry.Of(retry.Policy{Tries: 2, Pause: time.Millisecond}, flow.Then(a, b))
	default:
		return flow.Then(a, b)
	}
}

// The result in a workflow is that of a local run, and the history replays.
func TestRandomPlans(t *testing.T) {
	s := serve(t)
	c := s.client()
	const plans = 60
	var workflows [plans]*durable.Workflow[int, int]
	var registers []func(temporal.Registry) error
	for i := range workflows {
		r := rand.New(rand.NewPCG(uint64(i), 17))
		workflows[i] = durable.New(fmt.Sprintf("drawn%d", i), drawnPlan(r, 2+r.IntN(12)))
		registers = append(registers, temporal.Of(workflows[i]).Register)
	}
	work(t, c, "drawn", registers...)
	on, loop := durable.Local()
	defer func() { _ = loop.Shutdown(context.Background()) }()
	var failed atomic.Int32
	t.Run("plans", func(t *testing.T) {
		for i, w := range workflows {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				if i%8 != 0 {
					t.Parallel()
				}
				id := fmt.Sprintf("drawn-%d", i)
				here, err := w.Start(t.Context(), on, id, i)
				if err != nil {
					t.Fatal(err)
				}
				there, err := w.Start(t.Context(), temporal.Engine(c, "drawn"), id, i)
				if err != nil {
					t.Fatal(err)
				}
				want, wantErr := here.Wait(withinLimit(t))
				got, gotErr := there.Wait(withinLimit(t))
				if got != want || fmt.Sprint(gotErr) != fmt.Sprint(wantErr) || fault.CodeOf(gotErr) != fault.CodeOf(wantErr) || fault.InfoOf(gotErr) != fault.InfoOf(wantErr) {
					t.Errorf("got %v, %v\nwant %v, %v", got, gotErr, want, wantErr)
				}
				if wantErr != nil {
					failed.Add(1)
				}
				if err = replay(t, c, w, id); err != nil {
					t.Errorf("replay: %v", err)
				}
			})
		}
	})
	t.Logf("%d of %d plans have ended with an error", failed.Load(), plans)
}

// Runs have signals, limits, a child workflow, a new beginning, a cancel and queries. Histories replay, and the replay of a changed
// plan reports the changes.
func TestOnServer(t *testing.T) {
	s := serve(t)
	c := s.client()
	on := temporal.Engine(c, "all")
	declined := durable.Errors(map[string]error{"declined": errDeclined})

	signals := durable.New("signals", flow.Then(reserve, flow.Then(flow.Carry(approved), step.Map(func(p flow.Pair[order, string]) string {
		return p.A.Item + " by " + p.B
	}))))
	child := durable.New("parent", flow.Named("ship", flow.Call(charge)), declined)
	polls := durable.New("polls", flow.Then(step.Await(func(_ context.Context, s state) (state, error) { return state{s.N + 1}, nil }),
		flow.Then(flow.Carry(flow.Then(step.Map(func(state) struct{} { return struct{}{} }), durable.Signal[int]("go"))),
			step.Map(func(p flow.Pair[state, int]) durable.Again[state] {
				return durable.Again[state]{In: state{p.A.N + p.B}, More: p.A.N < 100}
			}))))
	hook := make(chan struct{}, 2)
	ended := make(chan error, 2)
	hangs := func() step.Step[int, int] {
		return flow.OnCancel(step.Await(func(ctx context.Context, n int) (int, error) {
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return n, ctx.Err()
		}), func(step.Scope) { hook <- struct{}{} })
	}
	loops := durable.New("loops", keeps)
	var calls atomic.Int32
	long := durable.New("long", step.Await(func(ctx context.Context, _ int) (int, error) {
		n := calls.Add(1)
		select {
		case <-time.After(2500 * time.Millisecond): // without heartbeats Temporal would count this worker as lost by then
			return int(n), nil
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}), durable.Heartbeat(time.Second))
	cancelled := durable.New("cancelled", hangs(), durable.Heartbeat(2*time.Second))
	limited := durable.New("limited", flow.Timeout(time.Second, hangs()), durable.Heartbeat(2*time.Second))
	work(t, c, "all", temporal.Of(signals).Register, temporal.Of(child).Register, temporal.Of(polls).Register, temporal.Of(cancelled).Register, temporal.Of(limited).Register, temporal.Of(loops).Register, temporal.Of(long).Register)

	t.Run("signal", func(t *testing.T) {
		run, err := signals.Start(t.Context(), on, "s-1", order{Item: "teapot"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = signals.Start(t.Context(), on, "s-1", order{}); err != nil {
			t.Errorf("started twice: %v", err)
		}
		ctx := withinLimit(t)
		for place := ""; place != "2 approval\n"; time.Sleep(50 * time.Millisecond) {
			if place, err = run.Place(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if picture, err := run.Picture(t.Context()); err != nil || !strings.Contains(picture, "#ffdf99") {
			t.Errorf("%v\n%s", err, picture)
		}
		if err = durable.Send(t.Context(), signals.Attach(on, "s-1"), "approval", approval{"Ann"}); err != nil {
			t.Error(err)
		}
		if out, err := run.Wait(withinLimit(t)); out != "teapot s-1/0#1 by Ann" || err != nil {
			t.Errorf("got %q, %v", out, err)
		}
		if _, err = signals.Start(t.Context(), on, "s-1", order{}); err != nil {
			t.Errorf("started after its end: %v", err)
		}
		if err = replay(t, c, signals, "s-1"); err != nil {
			t.Error(err)
		}
		other := durable.New("signals", flow.Then(reserve, flow.Named("approved", approved)))
		if err = replay(t, c, other, "s-1"); err == nil || !strings.Contains(err.Error(), "the plan has changed since the run began:\n") || !strings.Contains(err.Error(), `+ 1/1 new "approval"`) {
			t.Errorf("a changed plan: %v", err)
		}
	})
	t.Run("child", func(t *testing.T) {
		run, err := child.Start(t.Context(), on, "c-1", order{Cents: 5000})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = run.Wait(withinLimit(t)); !errors.Is(err, errDeclined) {
			t.Errorf("got %v", err)
		}
		if err = replay(t, c, child, "c-1"); err != nil {
			t.Error(err)
		}
	})
	t.Run("keys again", func(t *testing.T) {
		run, err := loops.Start(t.Context(), on, "k-1", nil)
		if err != nil {
			t.Fatal(err)
		}
		out, err := run.Wait(withinLimit(t))
		if got, want := strings.Join(out.In, " "), "k-1/0#1 k-1~1/0#1 k-1~2/0#1"; got != want || err != nil {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	})
	t.Run("long body", func(t *testing.T) {
		run, err := long.Start(t.Context(), on, "long-1", 0)
		if err != nil {
			t.Fatal(err)
		}
		if calls, err := run.Wait(withinLimit(t)); calls != 1 || err != nil {
			t.Errorf("called %d times, %v", calls, err)
		}
	})
	t.Run("again", func(t *testing.T) {
		run, err := polls.Start(t.Context(), on, "p-1", state{})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{10, 100, 1000} { // signals that come before the steps that wait for them are kept
			if err = durable.Send(t.Context(), run, "go", n); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := run.Wait(withinLimit(t)); out.In.N != 1113 || err != nil {
			t.Errorf("got %v, %v", out, err)
		}
	})
	for name, w := range map[string]*durable.Workflow[int, int]{"cancel": cancelled, "limit": limited} {
		t.Run(name, func(t *testing.T) {
			run, err := w.Start(t.Context(), on, name, 1)
			if err != nil {
				t.Fatal(err)
			}
			ctx := withinLimit(t)
			for place := ""; place == "" && name == "cancel"; time.Sleep(50 * time.Millisecond) {
				if place, err = run.Place(ctx); err != nil {
					t.Fatal(err)
				}
			}
			want := error(fault.Timeout)
			if name == "cancel" {
				want = fault.Cancelled
				time.Sleep(300 * time.Millisecond) // time for the body to begin: a body that hasn't begun isn't told of the cancel
				if err = run.Cancel(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			began := time.Now()
			_, err = run.Wait(withinLimit(t))
			took := time.Since(began)
			if !errors.Is(err, want) || took > 2*time.Second+2*time.Second { // the heartbeat and 1 s, and 1 s for the limit
				t.Errorf("ended after %v with %v", took, err)
			}
			receive(t, hook)
			if cause := receive(t, ended); !sdktemporal.IsCanceledError(cause) {
				t.Errorf("the body was told %v", cause)
			}
			if len(hook) != 0 || len(ended) != 0 {
				t.Error("the hook was called twice")
			}
			if err = replay(t, c, w, name); err != nil {
				t.Error(err)
			}
			receive(t, hook) // a replay calls hooks again
		})
	}
}

func replay[In, Out any](t *testing.T, c client.Client, w *durable.Workflow[In, Out], id string) error {
	t.Helper()
	return durabletest.Replay(temporal.Of(w), historyOf(t, c, id))
}

// A replay reports a parameter of a step that has changed.
func TestChangedParameterOnServer(t *testing.T) {
	c := serve(t).client()
	pauses := func(d, limit time.Duration) *durable.Workflow[int, int] {
		return durable.New("pauses", flow.Timeout(limit, step.Delay[int](d)))
	}
	work(t, c, "pauses", temporal.Of(pauses(time.Second, time.Hour)).Register)
	run, err := pauses(time.Second, time.Hour).Start(t.Context(), temporal.Engine(c, "pauses"), "p", 7)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := run.Wait(withinLimit(t)); out != 7 || err != nil {
		t.Fatalf("got %d, %v", out, err)
	}
	if err = replay(t, c, pauses(time.Second, time.Hour), "p"); err != nil {
		t.Errorf("unchanged: %v", err)
	}
	for want, w := range map[string]*durable.Workflow[int, int]{
		"0/0: delay 1s → 1h0m0s":  pauses(time.Hour, time.Hour),
		"0: limit 1h0m0s → 500ms": pauses(time.Second, 500*time.Millisecond),
	} {
		if err = replay(t, c, w, "p"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
