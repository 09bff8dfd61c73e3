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
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/prometheus"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

type none = struct{}

var errBad = fault.New("Bad", "bad luck")

// rig is a loop in virtual time with a collector of its runs.
type rig struct {
	*testing.T
	*prometheus.Collector

	loop *tooltest.Loop
}

func newRig(t *testing.T) *rig { return newRigOf(t, prometheus.Options{Buckets: []float64{10, 1}}) }

func newRigOf(t *testing.T, o prometheus.Options) *rig {
	r := &rig{t, prometheus.New(o), tooltest.New()}
	t.Cleanup(func() {
		if errs := r.loop.Errors(); len(errs) > 0 {
			t.Errorf("the loop was told of %v", errs)
		}
	})
	return r
}

// start starts a run of s, and turns the loop as far as possible at the present time.
func start[Out any](r *rig, s step.Step[none, Out]) *flow.Running[Out] {
	r.Helper()
	run := flow.Start(observe.With(r.Context(), r), r.loop, s, none{})
	r.loop.Advance(0)
	return run
}

// is compares the samples of some metrics with want. A metric without samples adds no line; lines of buckets are left
// out.
func (r *rig) is(metrics string, want ...string) {
	r.Helper()
	if diff := cmp.Diff(want, samples(r, r.Collector, strings.Fields(metrics)...)); diff != "" {
		r.Errorf("%s (-want +got):\n%s", metrics, diff)
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

func does(name string, err error) step.Step[none, none] {
	return flow.Named(name, step.Func(func(step.Scope, none) (none, error) { return none{}, err }))
}

// takes returns a step that waits for d.
func takes(name string, d time.Duration) step.Step[none, none] {
	return flow.Named(name, step.New(func(as step.Scope, _ none) step.Next[none] {
		return step.Wait(as, func(done step.Done[none]) {
			as.Loop().Deferred(d, func() { done.Succeed(none{}) })
		})
	}))
}

// drop makes a plan without a value of any plan.
func drop[Out any](s step.Step[none, Out]) step.Step[none, none] {
	return flow.Then(s, step.Map(func(Out) none { return none{} }))
}

// Metrics of every kind are well formed and named by the rules of Prometheus.
func TestWellFormed(t *testing.T) {
	r := newRig(t)
	busy(r)
	if problems, err := testutil.CollectAndLint(r); len(problems) > 0 || err != nil {
		t.Errorf("%v, %v", problems, err)
	}
	registry := prom.NewPedanticRegistry()
	if err := registry.Register(r); err != nil {
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

// Names that aren't valid UTF-8 are made valid, because Prometheus takes no others.
func TestNamesThatAreNone(t *testing.T) {
	r := newRig(t)
	start(r, flow.Named("\xff", takes("\xfe", time.Second)))
	start(r, does("\xfe", fault.New("\xfd", "")))
	start(r, does("", errors.New("plain")))
	r.loop.Run()
	r.is("runs_started_total errors_raised_total",
		`errors_raised_total{code="InternalError"} 1`, `errors_raised_total{code="`+"\uFFFD"+`"} 1`,
		`runs_started_total{plan="group"} 1`, `runs_started_total{plan="`+"\uFFFD"+`"} 2`)
}

// The number of series is bounded, however many names there are, and what is folded is counted.
func TestManyNames(t *testing.T) {
	r := newRig(t)
	for i := range 1100 {
		start(r, does(strings.Repeat("x", 1+i), fault.New(fault.Code(strings.Repeat("y", 1+i)), "")))
	}
	start(r, does("x", nil))
	for _, metric := range []string{"runs_started_total", "step_duration_seconds_count", "errors_raised_total"} {
		n, others := countOf(r, metric)
		if n != 1001 || !strings.HasSuffix(others, "} 100") {
			t.Errorf("%s: %d series, and %q", metric, n, others)
		}
	}
	r.is("names_folded_total",
		`names_folded_total{labels="code"} 100`, `names_folded_total{labels="guard,step"} 0`, `names_folded_total{labels="plan"} 100`,
		`names_folded_total{labels="plan,code"} 101`, `names_folded_total{labels="plan,stage"} 0`, `names_folded_total{labels="step"} 100`)
}

// So is the product of two labels of one metric, each of which has few values.
func TestManyPairsOfNames(t *testing.T) {
	r := newRigOf(t, prometheus.Options{MaxNames: 10})
	guards := make([]*syncx.Mutex, 8)
	for k := range guards {
		guards[k] = syncx.NewMutex(1, -1)
		r.Guard(fmt.Sprint("guard", k), guards[k])
		start(r, syncx.Sync(guards[k], takes("", time.Hour)))
	}
	for i := range 8 {
		plan := fmt.Sprint("plan", i)
		for k, g := range guards {
			start(r, flow.Named(plan, does("", fault.New(fault.Code(fmt.Sprint("code", k)), ""))))
			start(r, flow.Named(plan, syncx.Sync(g, takes("", time.Hour)))).Cancel(nil)
		}
		start(r, flow.Named(plan, does("", nil)))
	}
	for metric, want := range map[string]int{"runs_ended_total": 10 + 2, "queue_seconds_count": 10 + 1, "runs_started_total": 8 + 1} {
		if n, _ := countOf(r, metric); n != want {
			t.Errorf("%s: %d series, not %d", metric, n, want)
		}
	}
	total := 0
	for _, s := range samples(t, r, "runs_ended_total") {
		n, err := strconv.Atoi(s[strings.LastIndexByte(s, ' ')+1:])
		if total += n; err != nil {
			t.Error(err)
		}
	}
	if total != 8*17 {
		t.Errorf("%d runs, not %d", total, 8*17)
	}
}

// Success stays success, however many pairs of a plan and a code there are.
func TestFoldedRunsHaveSucceeded(t *testing.T) {
	r := newRigOf(t, prometheus.Options{MaxNames: 1})
	for _, name := range []string{"a", "b", "c"} {
		start(r, does(name, nil))
	}
	start(r, does("a", errBad))
	r.is("runs_ended_total", `runs_ended_total{code="OK",plan="a"} 1`, `runs_ended_total{code="OK",plan="other"} 2`,
		`runs_ended_total{code="other",plan="other"} 1`)
}

// countOf returns how many series the metric has, and that of other names.
func countOf(r *rig, metric string) (n int, others string) {
	for _, s := range samples(r, r.Collector, strings.TrimSuffix(metric, "_count")) {
		if strings.HasPrefix(s, metric) {
			n++
			if strings.Contains(s, `"other"`) {
				others = s
			}
		}
	}
	return n, others
}
