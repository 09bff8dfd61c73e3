package temporal_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// waits waits for the signal go, and adds its value to the input.
var waits = flow.Then(flow.Carry(flow.Then(step.Map(func(int) struct{} { return struct{}{} }), durable.Signal[int]("go"))),
	step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B }))

func TestCancelOfChild(t *testing.T) {
	hooks := 0
	child := flow.OnCancel(waits, func(step.Scope) { hooks++ })
	w := durable.New("parent", flow.Named("child", flow.Call(child)))
	_, err := durabletest.Run(w, 1, func(e *testsuite.TestWorkflowEnvironment) {
		e.RegisterDelayedCallback(e.CancelWorkflow, time.Hour)
	})
	if !errors.Is(err, fault.Cancelled) || hooks != 1 {
		t.Errorf("got %v, and %d hooks", err, hooks)
	}
}

func TestClockAndDice(t *testing.T) {
	type seen struct {
		at     int64
		dice   uint64
		before *seen
	}
	var last [2]atomic.Pointer[seen]
	look := step.Func(func(as step.Scope, n int) (int, error) {
		s := &seen{at: as.Now().UnixNano(), dice: as.Loop().Host().Rand(), before: last[n].Load()}
		if !last[n].CompareAndSwap(s.before, s) {
			return 0, errors.New("two executions at once")
		}
		return n, nil
	})
	c := serve(t).client()
	w := durable.New("dice", flow.Chain(look, step.Await(func(_ context.Context, n int) (int, error) { return n, nil }), look))
	work(t, c, "dice", temporal.Of(w).Register)
	for n, id := range []string{"dice-0", "dice-1"} {
		run, err := w.Start(t.Context(), temporal.Engine(c, "dice"), id, n)
		if err == nil {
			_, err = run.Wait(withinLimit(t))
		}
		if err == nil {
			err = replay(t, c, w, id)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var first [2]uint64
	for n := range last {
		var at []int64
		var dice []uint64
		for s := last[n].Load(); s != nil; s = s.before {
			at, dice = append(at, s.at), append(dice, s.dice)
		}
		end := len(at) - 2
		if end < 2 || !slices.Equal(at[:2], at[end:]) || !slices.Equal(dice[:2], dice[end:]) || at[0] <= at[1] || dice[0] == dice[1] {
			t.Fatalf("run %d has seen the times %v and the numbers %v", n, at, dice)
		}
		first[n] = dice[end+1]
	}
	if first[0] == first[1] {
		t.Error("two runs have the same random numbers")
	}
}

func TestGraceOnServer(t *testing.T) {
	free := make(chan struct{})
	defer close(free)
	deaf := step.Await(func(_ context.Context, n int) (int, error) {
		<-free
		return n, nil
	})
	c := serve(t).client()
	w := durable.New("deaf", flow.Timeout(time.Second, deaf), durable.Heartbeat(time.Second), durable.Grace(time.Second))
	work(t, c, "deaf", temporal.Of(w).Register)
	run, err := w.Start(t.Context(), temporal.Engine(c, "deaf"), "deaf-1", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = run.Wait(withinLimit(t)); !errors.Is(err, fault.Timeout) {
		t.Errorf("got %v", err)
	}
	if err = replay(t, c, w, "deaf-1"); err != nil {
		t.Error(err)
	}
}

// A call that takes too long counts as lost, and the body is called again with the same key.
func TestLongestOnServer(t *testing.T) {
	var calls atomic.Int32
	var keys [2]string
	slow := step.Await(func(ctx context.Context, _ int) (int, error) {
		n := calls.Add(1)
		keys[n%2] = durable.Key(ctx)
		if n == 1 {
			<-ctx.Done()
		}
		return int(n), ctx.Err()
	})
	c := serve(t).client()
	w := durable.New("slow", slow, durable.Longest(time.Second))
	work(t, c, "slow", temporal.Of(w).Register)
	run, err := w.Start(t.Context(), temporal.Engine(c, "slow"), "slow-1", 1)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := run.Wait(withinLimit(t)); out != 2 || err != nil || keys[0] != keys[1] {
		t.Errorf("got %d, %v, with keys %q", out, err, keys)
	}
}

// A worker with another plan fails the task, with the differences, and the run waits for a worker with its own.
func TestRunWaitsForItsPlan(t *testing.T) {
	c := serve(t).client()
	begun := durable.New("waits", waits)
	changed := durable.New("waits", flow.Then(step.Map(func(n int) int { return n * 10 }), waits))
	with := func(w *durable.Workflow[int, int], fn func()) {
		t.Helper()
		serving := worker.New(c, "waits", worker.Options{})
		if err := temporal.Of(w).Register(serving); err != nil {
			t.Fatal(err)
		}
		if err := serving.Start(); err != nil {
			t.Fatal(err)
		}
		defer serving.Stop()
		fn()
	}
	run, err := begun.Start(t.Context(), temporal.Engine(c, "waits"), "waits-1", 1)
	if err != nil {
		t.Fatal(err)
	}
	with(begun, func() {
		eventually(t, func() bool { return events(t, c, enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED) != "" })
	})
	with(changed, func() {
		if err := durable.Send(t.Context(), run, "go", 41); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() bool { return events(t, c, enums.EVENT_TYPE_WORKFLOW_TASK_FAILED) != "" })
	})
	if why := events(t, c, enums.EVENT_TYPE_WORKFLOW_TASK_FAILED); !strings.Contains(why, "the plan has changed since the run began") {
		t.Errorf("the task has failed with %s", why)
	}
	with(begun, func() {
		if out, err := run.Wait(withinLimit(t)); out != 42 || err != nil {
			t.Errorf("got %d, %v", out, err)
		}
	})
	enginetest.WantEnded(t, run, begun.Attach(temporal.Engine(c, "waits"), "waits-2"))
}

func events(t *testing.T, c client.Client, kind enums.EventType) string {
	t.Helper()
	var all strings.Builder
	for _, e := range historyOf(t, c, "waits-1").GetEvents() {
		if e.GetEventType() == kind {
			all.WriteString(e.String())
		}
	}
	return all.String()
}

func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	ctx := withinLimit(t)
	for !ok() {
		if ctx.Err() != nil {
			t.Fatal(context.Cause(ctx))
		}
		time.Sleep(50 * time.Millisecond)
	}
}
