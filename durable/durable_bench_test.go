package durable_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	history "go.temporal.io/api/history/v1"
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

// byHand is a workflow written with the SDK alone, for comparison.
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

// handSelect is handFan for activities that may fail: the first failure cancels the others, and the workflow waits until these have
// ended, as flow.ParEach does. handFan learns of a failure only when it is its turn, and leaves the others running.
var handSelect = byHand{"hand select", func(ctx workflow.Context, n int) (int, error) {
	ctx, cancel := workflow.WithCancel(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Hour, HeartbeatTimeout: 10 * time.Second, WaitForCancellation: true,
	}))
	defer cancel()
	var failed error
	sum := 0
	ended := workflow.NewSelector(ctx)
	for i := range benchSteps {
		ended.AddFuture(workflow.ExecuteActivity(ctx, "inc", n+i), func(f workflow.Future) {
			var v int
			if err := f.Get(ctx, &v); err != nil && failed == nil {
				failed = err
				cancel()
			}
			sum += v
		})
	}
	for range benchSteps {
		ended.Select(ctx)
	}
	return sum, failed
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

// rows holds the compared workflows: those by hand and the plans call the same activities.
var rows = []struct {
	name     string
	workflow durabletest.Workflow
}{{"hand chain", handChain}, {"plan chain", planChain()}, {"hand fan", handFan}, {"plan fan", planFan()}}

// benchWorker starts a worker for the workflows of rows.
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

// perStep reports the total divided by the number of steps.
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

// BenchmarkWorker measures the processor time of a worker for one step, with activities and messages. The server is
// another process and isn't counted. Compare plan with hand, over several interleaved runs: -count.
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

// pair is one workflow by hand and one as a plan, which do the same. Their histories have the same number of workflow
// tasks.
type pair struct {
	name     string
	hand     byHand
	plan     *durable.Workflow[int, int]
	together int // how many results one workflow task brings; 0 for a chain
}

func (p pair) histories(tb testing.TB) (hand, plan *history.History) {
	tb.Helper()
	return madeOf(tb, p.hand.name, p.hand, p.together), madeOf(tb, p.plan.Name(), p.plan, p.together)
}

var pairs = []pair{
	{"chain", handChain, planChain(), 0},
	{"fan/1", handFan, planFan(), 1},
	{"fan/10", handFan, planFan(), 10},
	{"fan/100", handFan, planFan(), 100},
	{"select/1", handSelect, planFan(), 1},
	{"select/10", handSelect, planFan(), 10},
	{"select/100", handSelect, planFan(), 100},
}

// BenchmarkStep replays histories that history_test.go makes, by hand and as a plan in turn, and reports the median of
// the ratios of processor time. It needs no server.
func BenchmarkStep(b *testing.B) {
	for _, p := range pairs {
		hand, plan := p.histories(b)
		b.Run(p.name, func(b *testing.B) {
			var ratios []float64
			var total [2]time.Duration
			for b.Loop() {
				began := processorTime(b)
				replays(b, p.hand, hand)
				between := processorTime(b)
				replays(b, p.plan, plan)
				end := processorTime(b)
				total[0] += between - began
				total[1] += end - between
				ratios = append(ratios, float64(end-between)/float64(between-began))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "plan/hand")
			perStep(b, total[0]/replayRounds, "hand-cpu-ns/step")
			perStep(b, total[1]/replayRounds, "plan-cpu-ns/step")
		})
	}
}

// replayRounds is how often a history is replayed between two looks at the clock.
const replayRounds = 10

func replays(tb testing.TB, w durabletest.Workflow, h *history.History) {
	tb.Helper()
	for range replayRounds {
		if err := durabletest.Replay(w, h); err != nil {
			tb.Fatal(err)
		}
	}
}

// mostMore bounds how many allocations more a step of a plan may take than one by hand, when a history is replayed. A
// second argument of its activity, or a summary, would cost ten each.
const mostMore = 25

// The allocations of a step of a plan, beyond those of one by hand, are bounded. Unlike times they are the same on each
// machine.
func TestAllocations(t *testing.T) {
	for _, p := range pairs {
		hand, plan := p.histories(t)
		of := func(w durabletest.Workflow, h *history.History) float64 {
			return testing.AllocsPerRun(5, func() {
				if err := durabletest.Replay(w, h); err != nil {
					t.Fatal(err)
				}
			}) / benchSteps
		}
		byHand, asPlan := of(p.hand, hand), of(p.plan, plan)
		t.Logf("%s: %.1f allocations of a step by hand, %.1f of a plan", p.name, byHand, asPlan)
		if asPlan > byHand+mostMore {
			t.Errorf("%s: a step of a plan takes %.1f allocations more than by hand, want at most %d", p.name, asPlan-byHand, mostMore)
		}
	}
}
