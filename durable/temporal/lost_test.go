package temporal_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/testsuite"
	"google.golang.org/grpc"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

type heartbeatLoss struct{ ends atomic.Bool }

func (m *heartbeatLoss) call(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	err := invoke(ctx, method, req, reply, conn, options...)
	if strings.HasSuffix(method, "/RecordActivityTaskHeartbeat") && !m.ends.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	return err
}

// A context that ends because heartbeats aren't answered is no error of the step. The body is called again, also if it
// returns an error of its own then.
func TestHeartbeatsAreLost(t *testing.T) {
	lost := new(heartbeatLoss)
	c := serve(t).clientWith(client.Options{ConnectionOptions: client.ConnectionOptions{DialOptions: []grpc.DialOption{grpc.WithUnaryInterceptor(lost.call)}}})
	returns := map[string]func(ctx context.Context) error{
		"cause": context.Cause,
		"error": func(ctx context.Context) error { return ctx.Err() },
		"own":   func(context.Context) error { return errDeclined },
	}
	var undone atomic.Int32
	undo := flow.Undo(step.Map(func(n int) int { return n }), step.Await(func(_ context.Context, n int) (int, error) { undone.Add(1); return n, nil }))
	plans := make(map[string]*durable.Workflow[int, int])
	var registers []func(temporal.Registry) error
	first := make(chan struct{}, len(returns))
	for name, failure := range returns {
		var calls atomic.Int32
		book := step.Await(func(ctx context.Context, n int) (int, error) {
			if calls.Add(1) > 1 {
				return n + 1, nil
			}
			<-ctx.Done()
			first <- struct{}{}
			return 0, failure(ctx)
		})
		plans[name] = durable.New("lost "+name, flow.Saga(flow.Then(undo, book)), durable.Heartbeat(time.Second))
		registers = append(registers, temporal.Of(plans[name]).Register)
	}
	work(t, c, "lost", registers...)
	runs := make(map[string]durable.Run[int])
	for name, w := range plans {
		run, err := w.Start(t.Context(), temporal.Engine(c, "lost"), name, 1)
		if err != nil {
			t.Fatal(err)
		}
		runs[name] = run
	}
	for range runs {
		receive(t, first)
	}
	lost.ends.Store(true)
	for name, run := range runs {
		if out, err := run.Wait(withinLimit(t)); out != 2 || err != nil {
			t.Errorf("%s: got %d, %v", name, out, err)
		}
	}
	if undone.Load() != 0 {
		t.Errorf("%d sagas were undone", undone.Load())
	}
}

// The context of the body hasn't ended, so its error is the plan's, and it isn't called again.
func TestErrorWhileTheWorkerStops(t *testing.T) {
	var calls atomic.Int32
	w := durable.New("stops", step.Await(func(context.Context, int) (int, error) {
		if calls.Add(1) > 1 {
			return 0, nil
		}
		return 0, errDeclined
	}), durable.Errors(map[string]error{"declined": errDeclined}))
	_, err := durabletest.Run(w, 0, func(e *testsuite.TestWorkflowEnvironment) {
		stops := make(chan struct{})
		close(stops)
		e.SetWorkerStopChannel(stops)
	})
	if !errors.Is(err, errDeclined) || calls.Load() != 1 {
		t.Errorf("got %v after %d calls", err, calls.Load())
	}
}
