package durable_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/durabletest"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// benchSteps is how many activities a workflow of a benchmark has.
const benchSteps = 100

func inc(_ context.Context, n int) (int, error) { return n + 1, nil }

// byHand are the workflows as one writes them with the SDK.
type byHand struct {
	name string
	fn   func(ctx workflow.Context, n int) (int, error)
}

// RegisterWorkflows implements durabletest.Workflow.
func (h byHand) RegisterWorkflows(r durable.WorkflowRegistry) error {
	r.RegisterWorkflowWithOptions(h.fn, workflow.RegisterOptions{Name: h.name})
	return nil
}

func handOptions(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Hour, HeartbeatTimeout: 10 * time.Second})
}

var handChain = byHand{"hand chain", func(ctx workflow.Context, n int) (int, error) {
	ctx = handOptions(ctx)
	for range benchSteps {
		if err := workflow.ExecuteActivity(ctx, "inc", n).Get(ctx, &n); err != nil {
			return 0, err
		}
	}
	return n, nil
}}

var handFan = byHand{"hand fan", func(ctx workflow.Context, n int) (int, error) {
	ctx = handOptions(ctx)
	all := make([]workflow.Future, benchSteps)
	for i := range all {
		all[i] = workflow.ExecuteActivity(ctx, "inc", n+i)
	}
	sum := 0
	for _, f := range all {
		var v int
		if err := f.Get(ctx, &v); err != nil {
			return 0, err
		}
		sum += v
	}
	return sum, nil
}}

func planChain() *durable.Workflow[int, int] {
	steps := make([]step.Step[int, int], benchSteps)
	for i := range steps {
		steps[i] = step.Await(inc)
	}
	return durable.New("plan chain", flow.Chain(steps...))
}

func planFan() *durable.Workflow[int, int] {
	spread := step.Map(func(n int) []int {
		all := make([]int, benchSteps)
		for i := range all {
			all[i] = n + i
		}
		return all
	})
	sum := step.Map(func(all []int) (sum int) {
		for _, n := range all {
			sum += n
		}
		return sum
	})
	return durable.New("plan fan", flow.Then(spread, flow.Then(flow.ParEach(benchSteps, step.Await(inc)), sum)))
}

// rows are the workflows of the benchmarks: by hand and as plans, of the same activities.
var rows = []struct {
	name     string
	workflow durabletest.Workflow
}{{"hand chain", handChain}, {"plan chain", planChain()}, {"hand fan", handFan}, {"plan fan", planFan()}}

// benchWorker has a worker of this process serve the rows.
func benchWorker(b *testing.B) client.Client {
	b.Helper()
	c := serve(b).client()
	w := worker.New(c, "bench", worker.Options{})
	w.RegisterActivityWithOptions(inc, activity.RegisterOptions{Name: "inc"})
	for _, row := range rows {
		register := row.workflow.RegisterWorkflows
		if plan, ok := row.workflow.(*durable.Workflow[int, int]); ok {
			register = func(durable.WorkflowRegistry) error { return plan.Register(w) }
		}
		if err := register(w); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(w.Stop)
	return c
}

func benchRun(b *testing.B, c client.Client, name, id string) {
	b.Helper()
	run, err := c.ExecuteWorkflow(b.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: "bench"}, name, 1)
	if err == nil {
		err = run.Get(b.Context(), nil)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// perStep reports what one step has cost, of a total.
func perStep(b *testing.B, total time.Duration, unit string) {
	b.Helper()
	b.ReportMetric(float64(total.Nanoseconds())/float64(b.N*benchSteps), unit)
}

// BenchmarkReplay measures the computation of the workflow's code for one step: a history is replayed, in which nothing
// is waited for and no activity runs. The histories are of a real server. Compare plan with hand.
func BenchmarkReplay(b *testing.B) {
	c := benchWorker(b)
	for _, row := range rows {
		benchRun(b, c, row.name, row.name)
		h := historyOf(b, c, row.name)
		b.Run(row.name, func(b *testing.B) {
			for b.Loop() {
				if err := durabletest.Replay(row.workflow, h); err != nil {
					b.Fatal(err)
				}
			}
			perStep(b, b.Elapsed(), "ns/step")
		})
	}
}

// BenchmarkWorker is the processor time of a worker, activities and messages included, for one step. The server is another process
// and isn't counted. Compare plan with hand, over several interleaved runs: -count.
func BenchmarkWorker(b *testing.B) {
	c := benchWorker(b)
	for _, row := range rows {
		n := 0
		b.Run(row.name, func(b *testing.B) {
			began := processorTime(b)
			for b.Loop() {
				n++
				benchRun(b, c, row.name, fmt.Sprintf("%s %d", row.name, n))
			}
			perStep(b, processorTime(b)-began, "cpu-ns/step")
		})
	}
}
