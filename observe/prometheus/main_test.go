package prometheus_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	prom "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/prometheus"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var errBad = fault.New("Bad", "bad luck")

type harness struct {
	*testing.T
	*prometheus.Collector

	loop *tooltest.Loop
}

func newHarness(t *testing.T) *harness {
	return newHarnessOf(t, prometheus.Options{Buckets: []float64{10, 1}})
}

func newHarnessOf(t *testing.T, o prometheus.Options) *harness {
	h := &harness{t, prometheus.New(o), tooltest.New()}
	t.Cleanup(func() {
		if errs := h.loop.Errors(); len(errs) > 0 {
			t.Errorf("the loop was told of %v", errs)
		}
	})
	return h
}

// start starts a run of s, and runs what can run without a move of the virtual time.
func start[Out any](h *harness, s step.Step[step.Unit, Out]) *flow.Running[Out] {
	h.Helper()
	run := flow.Start(observe.With(h.Context(), h), h.loop, s, step.Unit{})
	h.loop.Advance(0)
	return run
}

// wantSamples compares the samples of the metrics, without buckets, with want. Spaces separate the metrics.
func (h *harness) wantSamples(metrics string, want ...string) {
	h.Helper()
	if diff := cmp.Diff(want, samples(h, h.Collector, strings.Fields(metrics)...)); diff != "" {
		h.Errorf("%s (-want +got):\n%s", metrics, diff)
	}
}

func samples(t testing.TB, c prom.Collector, metrics ...string) (all []string) {
	t.Helper()
	for i := range metrics {
		metrics[i] = "asyncsteps_" + metrics[i]
	}
	text, err := testutil.CollectAndFormat(c, expfmt.TypeTextPlain, metrics...)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line[0] != '#' && !strings.Contains(line, "_bucket{") {
			all = append(all, strings.TrimPrefix(strings.TrimSpace(line), "asyncsteps_"))
		}
	}
	return all
}

func drop[Out any](s step.Step[step.Unit, Out]) step.Step[step.Unit, step.Unit] {
	return flow.Then(s, step.Map(func(Out) step.Unit { return step.Unit{} }))
}

func TestWellFormed(t *testing.T) {
	h := newHarness(t)
	busy(h)
	if problems, err := testutil.CollectAndLint(h); len(problems) > 0 || err != nil {
		t.Errorf("%v, %v", problems, err)
	}
	registry := prom.NewPedanticRegistry()
	if err := registry.Register(h); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil || len(families) != 15 {
		t.Errorf("%d families, %v", len(families), err)
	}
	if err := registry.Register(prometheus.New(prometheus.Options{})); err == nil {
		t.Error("a second collector has taken the same names")
	}
}

func TestNamesThatAreNone(t *testing.T) {
	h := newHarness(t)
	start(h, flow.Named("\xff", plantest.Delay("\xfe", time.Second)))
	start(h, plantest.Named("\xfe", fault.New("\xfd", "")))
	start(h, plantest.Named("", errors.New("plain")))
	h.loop.Run()
	h.wantSamples("runs_started_total errors_raised_total",
		`errors_raised_total{code="InternalError"} 1`, `errors_raised_total{code="`+"\uFFFD"+`"} 1`,
		`runs_started_total{plan="group"} 1`, `runs_started_total{plan="`+"\uFFFD"+`"} 2`)
}

func TestManyNames(t *testing.T) {
	h := newHarness(t)
	for i := range 1100 {
		start(h, plantest.Named(strings.Repeat("x", 1+i), fault.New(fault.Code(strings.Repeat("y", 1+i)), "")))
	}
	start(h, plantest.Named("x", nil))
	for _, metric := range []string{"runs_started_total", "step_duration_seconds_count", "errors_raised_total"} {
		n, others := countOf(h, metric)
		if n != 1001 || !strings.HasSuffix(others, "} 100") {
			t.Errorf("%s: %d series, and %q", metric, n, others)
		}
	}
	h.wantSamples("names_folded_total",
		`names_folded_total{labels="code"} 100`, `names_folded_total{labels="guard,step"} 0`, `names_folded_total{labels="plan"} 100`,
		`names_folded_total{labels="plan,code"} 101`, `names_folded_total{labels="plan,stage"} 0`, `names_folded_total{labels="step"} 100`)
}

// The bound holds for pairs of labels, even if each of the two labels has few values.
func TestManyPairsOfNames(t *testing.T) {
	h := newHarnessOf(t, prometheus.Options{MaxNames: 10})
	guards := make([]*syncx.Mutex, 8)
	for k := range guards {
		guards[k] = syncx.NewMutex(1, -1)
		h.Guard(fmt.Sprint("guard", k), guards[k])
		start(h, syncx.Sync(guards[k], plantest.Delay("", time.Hour)))
	}
	for i := range 8 {
		plan := fmt.Sprint("plan", i)
		for k, g := range guards {
			start(h, flow.Named(plan, plantest.Named("", fault.New(fault.Code(fmt.Sprint("code", k)), ""))))
			start(h, flow.Named(plan, syncx.Sync(g, plantest.Delay("", time.Hour)))).Cancel(nil)
		}
		start(h, flow.Named(plan, plantest.Named("", nil)))
	}
	for metric, want := range map[string]int{"runs_ended_total": 10 + 2, "queue_seconds_count": 10 + 1, "runs_started_total": 8 + 1} {
		if n, _ := countOf(h, metric); n != want {
			t.Errorf("%s: %d series, not %d", metric, n, want)
		}
	}
	total := 0
	for _, s := range samples(t, h, "runs_ended_total") {
		n, err := strconv.Atoi(s[strings.LastIndexByte(s, ' ')+1:])
		if total += n; err != nil {
			t.Error(err)
		}
	}
	if total != 8*17 {
		t.Errorf("%d runs, not %d", total, 8*17)
	}
}

func TestFoldedRunsHaveSucceeded(t *testing.T) {
	h := newHarnessOf(t, prometheus.Options{MaxNames: 1})
	for _, name := range []string{"a", "b", "c"} {
		start(h, plantest.Named(name, nil))
	}
	start(h, plantest.Named("a", errBad))
	h.wantSamples("runs_ended_total", `runs_ended_total{code="OK",plan="a"} 1`, `runs_ended_total{code="OK",plan="other"} 2`,
		`runs_ended_total{code="other",plan="other"} 1`)
}

func countOf(h *harness, metric string) (n int, others string) {
	for _, s := range samples(h, h.Collector, strings.TrimSuffix(metric, "_count")) {
		if strings.HasPrefix(s, metric) {
			n++
			if strings.Contains(s, `"other"`) {
				others = s
			}
		}
	}
	return n, others
}
