package prometheus

import (
	"context"
	"time"

	prom "github.com/prometheus/client_golang/prometheus"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/observe"
)

// succeeded is the value of the label code for runs that have ended without an error.
const succeeded = "OK"

// Start implements observe.Observer: the run is counted and its steps are timed.
func (c *Collector) Start(ctx context.Context, about observe.Run) (context.Context, observe.Watch) {
	r := &run{Collector: c, plan: c.plans.of(about.Name())}
	c.started.WithLabelValues(r.plan).Inc()
	c.inFlight.WithLabelValues(r.plan).Inc()
	return ctx, r.watch
}

// run is the watch of a run. Only the goroutine of the run's loop uses it.
type run struct {
	*Collector

	plan  string
	begun map[string]time.Duration // when named steps began, by path
	waits map[string]pause         // waits that aren't over yet, by the path of the step

	streams map[string][]observe.Stage // the last counts of streams that haven't ended, by the path of the sink
}

// pause is a wait that isn't over yet: when it began, and the histogram in which its duration will be recorded.
type pause struct {
	since time.Duration
	prom.Observer
}

func (r *run) watch(e observe.Event) {
	switch e.Kind {
	case observe.StepStart:
		r.begin(e)
	case observe.StepEnd:
		r.goOn(e)
		r.finish(e)
	case observe.Suspended:
		if name := e.Name(); name != "" {
			r.halt(e, r.wait.WithLabelValues(r.steps.of(name)))
		}
	case observe.Queued:
		r.halt(e, r.queue.WithLabelValues(r.sections.pair(r.guardOf(e), e.Name())))
	case observe.Resumed:
		r.goOn(e)
	case observe.Raised:
		r.errors.WithLabelValues(r.codes.of(code(e.Err))).Inc()
	case observe.TimedOut:
		r.timeouts.WithLabelValues(r.plan).Inc()
	case observe.Cancelled:
		r.cancels.WithLabelValues(r.plan).Inc()
	case observe.Progress:
		r.progress(e)
	case observe.RunEnd:
		r.forget()
		r.inFlight.WithLabelValues(r.plan).Dec()
		r.end(e.Err)
	default:
	}
}

// end counts the end of the run. A success keeps its code even if the pair is folded, because "other" would look like a failure
// on a dashboard.
func (r *run) end(err error) {
	plan, as := r.ends.pair(r.plan, code(err))
	if err == nil {
		as = succeeded
	}
	r.ended.WithLabelValues(plan, as).Inc()
}

func code(err error) string {
	if err == nil {
		return succeeded
	}
	return string(fault.CodeOf(err))
}

func (r *run) begin(e observe.Event) {
	if e.Name() == "" {
		return
	}
	if r.begun == nil {
		r.begun = make(map[string]time.Duration)
	}
	r.begun[e.Path()] = e.At
}

func (r *run) finish(e observe.Event) {
	if e.Name() == "" {
		return
	}
	path := e.Path()
	if began, known := r.begun[path]; known {
		delete(r.begun, path)
		r.duration.WithLabelValues(r.steps.of(e.Name())).Observe((e.At - began).Seconds())
	}
}

func (r *run) halt(e observe.Event, o prom.Observer) {
	if r.waits == nil {
		r.waits = make(map[string]pause)
	}
	r.waits[e.Path()] = pause{e.At, o}
}

// goOn records the duration of the step's wait, if the step waits.
func (r *run) goOn(e observe.Event) {
	if len(r.waits) == 0 {
		return
	}
	path := e.Path()
	if p, known := r.waits[path]; known {
		delete(r.waits, path)
		p.Observe((e.At - p.since).Seconds())
	}
}
