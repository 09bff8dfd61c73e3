package prometheus

import (
	"slices"
	"sync"

	prom "github.com/prometheus/client_golang/prometheus"

	"github.com/futoin-go/asyncsteps/observe"
)

// Options set the buckets of histograms and bound the number of series. The zero Options is ready for use.
type Options struct {
	// Buckets are the upper bounds of the buckets of all histograms, in seconds. If there are none, the bounds go from 100 µs to
	// one minute.
	Buckets []float64

	// MaxNames is how many values each label has at most, and how many pairs of values the two labels of a metric have at
	// most. Further values and pairs are counted under "other". Guards and loops that are registered come on top. Zero and
	// less stand for 1000.
	MaxNames int
}

// usual are the default buckets, in seconds, for steps that compute, steps that call other systems, and steps that take far
// too long.
var usual = []float64{.0001, .0005, .001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// Collector is an observer that counts and times runs, and a collector of Prometheus that reports the figures. Make one with
// [New]. Its methods may be called from any goroutine; for an exception see [Collector.Collect].
type Collector struct {
	metrics
	plans, codes, steps    *names
	ends, sections, stages *names // pairs: of a plan and a code, a guard and a section, a plan and a stage

	mu     sync.RWMutex
	guards []guard
	loops  []*loop
}

var (
	_ observe.Observer = (*Collector)(nil)
	_ prom.Collector   = (*Collector)(nil)
)

// New makes a Collector.
func New(o Options) *Collector {
	buckets := usual
	if len(o.Buckets) > 0 {
		buckets = slices.Compact(slices.Sorted(slices.Values(o.Buckets)))
	}
	most := o.MaxNames
	if most <= 0 {
		most = usualNames
	}
	c := &Collector{metrics: newMetrics(buckets)}
	bounded := func(labels string) *names { return newNames(most, c.folded.WithLabelValues(labels)) }
	c.plans, c.codes, c.steps = bounded(planLabel), bounded(codeLabel), bounded(stepLabel)
	c.ends, c.sections, c.stages = bounded(planLabel+","+codeLabel), bounded(guardLabel+","+stepLabel), bounded(planLabel+","+stageLabel)
	return c
}

// Describe implements the Collector interface of Prometheus.
func (c *Collector) Describe(ch chan<- *prom.Desc) {
	for _, m := range c.all() {
		m.Describe(ch)
	}
	ch <- insideDesc
	ch <- queuedDesc
	ch <- lagDesc
}

// Collect implements the Collector interface of Prometheus. It queues a callback on each loop and waits until these have run,
// at most 100 ms for all loops together. If a loop is late, its lag is the time that the callback has waited so far, and no
// other callback is queued while that one waits. A loop that is shut down has no lag.
//
// Don't call Collect on a loop that is registered by [Collector.Loop]: it would block that loop for 100 ms.
func (c *Collector) Collect(ch chan<- prom.Metric) {
	for _, m := range c.all() {
		m.Collect(ch)
	}
	c.mu.RLock()
	guards, loops := slices.Clone(c.guards), slices.Clone(c.loops)
	c.mu.RUnlock()
	for _, g := range guards {
		ch <- prom.MustNewConstMetric(insideDesc, prom.GaugeValue, float64(g.Inside()), g.name)
		ch <- prom.MustNewConstMetric(queuedDesc, prom.GaugeValue, float64(g.Queued()), g.name)
	}
	measure(loops)
	for _, l := range loops {
		if lag, ok := l.behind(); ok {
			ch <- prom.MustNewConstMetric(lagDesc, prom.GaugeValue, lag.Seconds(), l.name)
		}
	}
}
