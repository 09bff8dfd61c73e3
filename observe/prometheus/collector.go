package prometheus

import (
	"slices"
	"sync"

	prom "github.com/prometheus/client_golang/prometheus"

	"github.com/futoin-go/asyncsteps/observe"
)

// Options say how times are told. The zero Options is good.
type Options struct {
	// Buckets are the upper bounds of all histograms, in seconds. None
	// stand for bounds from 100 µs to one minute.
	Buckets []float64
}

// usual are the default buckets: a step that only computes, one that asks
// somebody else, one that is in trouble.
var usual = []float64{.0001, .0005, .001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// Collector is an observer of runs, and gives what it has counted to Prometheus. It is
// made by [New]. All methods may be called from any goroutine.
type Collector struct {
	metrics
	plans, codes, steps names

	mu     sync.RWMutex
	guards []guard
	loops  []*loop
}

var (
	_ observe.Observer = (*Collector)(nil)
	_ prom.Collector   = (*Collector)(nil)
)

// New makes a Collector that has seen nothing yet.
func New(o Options) *Collector {
	buckets := usual
	if len(o.Buckets) > 0 {
		buckets = slices.Compact(slices.Sorted(slices.Values(o.Buckets)))
	}
	return &Collector{metrics: newMetrics(buckets)}
}

// Describe implements the Collector of Prometheus.
func (c *Collector) Describe(ch chan<- *prom.Desc) {
	for _, m := range c.all() {
		m.Describe(ch)
	}
	ch <- insideDesc
	ch <- queuedDesc
	ch <- lagDesc
}

// Collect implements the Collector of Prometheus. It asks the loops for a sign of
// life, and waits for those that are late, 100 ms for all of them. A loop that
// hasn't answered is not asked again before it has; its lag grows meanwhile.
// One that is shut down has none.
//
// On a loop that is shown, Collect would wait in vain: don't call it there.
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
