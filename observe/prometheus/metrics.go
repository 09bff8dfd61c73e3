package prometheus

import (
	prom "github.com/prometheus/client_golang/prometheus"
)

const (
	planLabel  = "plan"
	codeLabel  = "code"
	stepLabel  = "step"
	guardLabel = "guard"
	loopLabel  = "loop"
	stageLabel = "stage"
	fateLabel  = "fate"

	labelsLabel = "labels"
)

const namespace = "asyncsteps"

// Descriptions of the metrics that are measured at each scrape.
var (
	insideDesc = desc("guard_inside", "How many are inside of the guard now.", guardLabel)
	queuedDesc = desc("guard_queued", "How many wait for the guard now.", guardLabel)
	lagDesc    = desc("loop_lag_seconds", "How long the loop takes to get to a new callback.", loopLabel)
)

func desc(name, help, label string) *prom.Desc {
	return prom.NewDesc(prom.BuildFQName(namespace, "", name), help, []string{label}, nil)
}

// metrics are the metrics that are updated by events.
type metrics struct {
	started  *prom.CounterVec
	inFlight *prom.GaugeVec
	ended    *prom.CounterVec
	cancels  *prom.CounterVec
	timeouts *prom.CounterVec
	errors   *prom.CounterVec
	duration *prom.HistogramVec
	wait     *prom.HistogramVec
	queue    *prom.HistogramVec
	elements *prom.CounterVec
	held     *prom.GaugeVec
	folded   *prom.CounterVec
}

func newMetrics(buckets []float64) metrics {
	histogram := func(name, help string, labels ...string) *prom.HistogramVec {
		return prom.NewHistogramVec(prom.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
	}
	gauge := func(name, help string, labels ...string) *prom.GaugeVec {
		return prom.NewGaugeVec(prom.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
	}
	return metrics{
		started:  counter("runs_started_total", "Runs that were started.", planLabel),
		inFlight: gauge("runs_in_flight", "Runs that have not ended yet.", planLabel),
		ended:    counter("runs_ended_total", "Runs that have ended, by the code of their error, or OK.", planLabel, codeLabel),
		cancels:  counter("cancels_total", "Runs that were cancelled from outside.", planLabel),
		timeouts: counter("timeouts_total", "Limits that have passed, of steps and of contexts of runs.", planLabel),
		errors:   counter("errors_raised_total", "Errors raised at steps, also those that a handler took.", codeLabel),
		duration: histogram("step_duration_seconds", "How long named steps took, however they ended.", stepLabel),
		wait:     histogram("step_wait_seconds", "Waits of named steps for something outside.", stepLabel),
		queue:    histogram("queue_seconds", "Waits in the queue of a guard, by the name of the section.", guardLabel, stepLabel),
		elements: counter("stream_elements_total", "Elements of stages of streams, by what has become of them.", planLabel, stageLabel, fateLabel),
		held:     gauge("stream_held", "Elements that are in a stage of a stream now.", planLabel, stageLabel),
		folded:   counter("names_folded_total", "Names that were counted as other, because there were too many, by their labels.", labelsLabel),
	}
}

func counter(name, help string, labels ...string) *prom.CounterVec {
	return prom.NewCounterVec(prom.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func (m *metrics) all() []prom.Collector {
	return []prom.Collector{
		m.started, m.inFlight, m.ended, m.cancels, m.timeouts, m.errors, m.duration, m.wait, m.queue, m.elements, m.held, m.folded,
	}
}
