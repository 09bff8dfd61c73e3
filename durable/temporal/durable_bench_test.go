package temporal_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	history "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

const benchSteps = 100

func inc(_ context.Context, n int) (int, error) { return n + 1, nil }

type byHand struct {
	name string
	fn   func(ctx workflow.Context, n int) (int, error)
}

func (h byHand) RegisterWorkflows(r temporal.WorkflowRegistry) error {
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

// keyed returns ctx with the options of call number i, which has a known id, as the calls of plans have. Such options belong to one
// activity, not to the workflow.
func keyed(ctx workflow.Context, i int) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ActivityID: "/" + strconv.Itoa(i) + "#1", StartToCloseTimeout: time.Hour, HeartbeatTimeout: 10 * time.Second, WaitForCancellation: true,
	})
}

var handKeyedChain = byHand{"hand keyed chain", func(ctx workflow.Context, n int) (int, error) {
	for i := range benchSteps {
		if err := workflow.ExecuteActivity(keyed(ctx, i), "inc", n).Get(ctx, &n); err != nil {
			return 0, err
		}
	}
	return n, nil
}}

// handSelect is handFan for activities that may fail: the first failure cancels the others, and the workflow waits until these have
// ended, as flow.ParEach does. handFan learns of a failure when it is its turn, and leaves the others running.
var handSelect = byHand{"hand select", func(ctx workflow.Context, n int) (int, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Hour, HeartbeatTimeout: 10 * time.Second, WaitForCancellation: true,
	})
	return selecting(ctx, n, func(ctx workflow.Context, _ int) workflow.Context { return ctx })
}}

var handKeyedSelect = byHand{"hand keyed select", func(ctx workflow.Context, n int) (int, error) { return selecting(ctx, n, keyed) }}

func selecting(ctx workflow.Context, n int, options func(workflow.Context, int) workflow.Context) (sum int, failed error) {
	ctx, cancel := workflow.WithCancel(ctx)
	defer cancel()
	ended := workflow.NewSelector(ctx)
	for i := range benchSteps {
		ended.AddFuture(workflow.ExecuteActivity(options(ctx, i), "inc", n+i), func(f workflow.Future) {
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
}

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

func benchWorker(b *testing.B) client.Client {
	b.Helper()
	c := serve(b).client()
	w := worker.New(c, "bench", worker.Options{})
	w.RegisterActivityWithOptions(inc, activity.RegisterOptions{Name: "inc"})
	registers := map[string]func() error{} // some workflows are in several pairs
	for _, p := range pairs {
		registers[p.hand.name] = func() error { return p.hand.RegisterWorkflows(w) }
		registers[p.plan.Name()] = func() error { return temporal.Of(p.plan).Register(w) }
	}
	for _, register := range registers {
		if err := register(); err != nil {
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

// inTurn calls hand and plan in turn, each of which executes that many steps, and reports the median and the quartiles of the ratios of
// their processor time. They take turns at being first, and each begins with a heap that has just been collected: otherwise a
// collection that one of them causes may fall into the time of the other, and do so in each pair.
func inTurn(b *testing.B, steps int, hand, plan func()) {
	b.Helper()
	took := func(call func()) time.Duration {
		runtime.GC()
		began := enginetest.ProcessorTime(b)
		call()
		return enginetest.ProcessorTime(b) - began
	}
	var ratios []float64
	var byHand, asPlan time.Duration
	for b.Loop() {
		var h, p time.Duration
		if len(ratios)%2 == 0 {
			h, p = took(hand), took(plan)
		} else {
			p, h = took(plan), took(hand)
		}
		byHand, asPlan = byHand+h, asPlan+p
		ratios = append(ratios, float64(p)/float64(h))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "plan/hand")
	b.ReportMetric(ratios[len(ratios)/4], "lower-quartile")
	b.ReportMetric(ratios[len(ratios)*3/4], "upper-quartile")
	b.ReportMetric(float64(byHand.Nanoseconds())/float64(b.N*steps), "hand-cpu-ns/step")
	b.ReportMetric(float64(asPlan.Nanoseconds())/float64(b.N*steps), "plan-cpu-ns/step")
}

// BenchmarkWorker measures the processor time of a worker for one step, with activities and messages, by hand and as a plan. The server
// is another process and isn't counted. How many results of a fan come together depends on the speed of the machine.
func BenchmarkWorker(b *testing.B) {
	c := benchWorker(b)
	for _, p := range pairs {
		if p.together > 1 {
			continue
		}
		n := 0
		run := func(name string) {
			n++
			benchRun(b, c, name, fmt.Sprintf("%s %s %d", p.name, name, n))
		}
		b.Run(strings.TrimSuffix(p.name, "/1"), func(b *testing.B) {
			inTurn(b, benchSteps, func() { run(p.hand.name) }, func() { run(p.plan.Name()) })
		})
	}
}

// pair is one workflow by hand and one as a plan, which call the same function equally often. The histories that madeOf makes of them
// have the same number of workflow tasks, inputs and results are encoded by the same DataConverter, and the interval of heartbeats is the
// same.
//
// A plan promises more than that. The keyed rows do by hand what it promises of its steps: an id for each activity that is known
// beforehand, of which the key of the call is made, and, in a fan, that the first failure cancels the others and the workflow waits for
// their end. The ids of chain and select are made by the SDK, and fan waits for one future after the other and leaves the others running
// if one fails. These rows show what a plan costs those who need no more.
//
// No row by hand records its plan when it begins, answers queries, or can leave one activity of a fan alone, as flow.Timeout around one
// branch does. By hand a body sends heartbeats if its author calls RecordHeartbeat. Bodies of plans send them when one is due, which
// isn't the case here.
type pair struct {
	name     string
	hand     byHand
	plan     *durable.Workflow[int, int]
	together int // how many results one workflow task brings; 0 for a chain
}

func (p pair) histories(tb testing.TB) (hand, plan *history.History) {
	tb.Helper()
	return madeOf(tb, p.hand.name, p.hand, p.together), madeOf(tb, p.plan.Name(), temporal.Of(p.plan), p.together)
}

var pairs = []pair{
	{"chain", handChain, planChain(), 0},
	{"keyed-chain", handKeyedChain, planChain(), 0},
	{"fan/1", handFan, planFan(), 1},
	{"fan/10", handFan, planFan(), 10},
	{"fan/100", handFan, planFan(), 100},
	{"select/1", handSelect, planFan(), 1},
	{"select/10", handSelect, planFan(), 10},
	{"select/100", handSelect, planFan(), 100},
	{"keyed-select/1", handKeyedSelect, planFan(), 1},
	{"keyed-select/10", handKeyedSelect, planFan(), 10},
	{"keyed-select/100", handKeyedSelect, planFan(), 100},
}

// BenchmarkStep measures the processor time of the workflow's code alone, by hand and as a plan. It replays histories that
// history_test.go makes, without a server. Measure it with -cpu 1: idle processors help the garbage collector, and their time
// counts as well.
func BenchmarkStep(b *testing.B) {
	for _, p := range pairs {
		hand, plan := p.histories(b)
		b.Run(p.name, func(b *testing.B) {
			inTurn(b, replayRounds*benchSteps, func() { replays(b, p.hand, hand) }, func() { replays(b, temporal.Of(p.plan), plan) })
		})
	}
}

const replayRounds = 50

func replays(tb testing.TB, w durabletest.Workflow, h *history.History) {
	tb.Helper()
	for range replayRounds {
		if err := durabletest.Replay(w, h); err != nil {
			tb.Fatal(err)
		}
	}
}

// mostMore bounds how many more allocations a step of a plan may take than one by hand, when a history is replayed.
const mostMore = 20

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
		byHand, asPlan := of(p.hand, hand), of(temporal.Of(p.plan), plan)
		t.Logf("%s: %.1f allocations of a step by hand, %.1f of a plan", p.name, byHand, asPlan)
		if asPlan > byHand+mostMore {
			t.Errorf("%s: a step of a plan takes %.1f allocations more than by hand, want at most %d", p.name, asPlan-byHand, mostMore)
		}
	}
}
