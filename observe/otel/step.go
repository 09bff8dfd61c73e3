package otel

import (
	"context"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/observe"
)

// live is a step that has begun and not ended.
type live struct {
	span   trace.Span
	ctx    context.Context // with span
	holder *live           // nil if it is held by the run itself
	branch string          // of the holder; "" if it stands in none
	failed bool            // an error was raised here or has come here; otherwise an end with one is a cancel
	joined []last          // steps of its branches, in the order in which those ended
}

// begin starts the span of a step.
func (r *run) begin(e observe.Event, path string, at time.Time) {
	if elided(path) {
		return
	}
	l := new(live)
	l.holder, l.branch = r.holder(path)
	parent := r.ctx
	if l.holder != nil {
		parent = l.holder.ctx
	}
	l.ctx, l.span = r.tracer.Start(parent, e.Label(), trace.WithTimestamp(at), trace.WithAttributes(ofStep(e, path)...)) //nolint:spancheck // finish ends it
	r.steps[path] = l
}

// elided says whether the middle of a path was left out, because it is very
// deep: then it may be the path of several steps.
func elided(path string) bool { return strings.Contains(path, "…") }

// holder is the live step that holds the one at path, and in which branch of it:
// the segment of the path that lies between.
func (r *run) holder(path string) (holder *live, branch string) {
	for slash := strings.LastIndexByte(path, '/'); slash >= 0; slash = strings.LastIndexByte(path, '/') {
		path = path[:slash]
		if l := r.steps[path]; l != nil {
			return l, branch
		}
		branch = path[strings.LastIndexByte(path, '/')+1:]
	}
	return nil, ""
}

// note keeps whether an error is on its way from here.
func (l *live) note(e observe.Event) {
	switch e.Kind {
	case observe.Raised, observe.TimedOut:
		l.failed = true
	case observe.Handled:
		l.failed = e.Outcome != fault.Recovered
	default:
	}
}

// finish ends the span of a step, and tells the one that holds it.
func (r *run) finish(l *live, err error, at time.Time) {
	for _, j := range l.joined {
		l.span.AddLink(trace.Link{SpanContext: j.step, Attributes: []attribute.KeyValue{BranchKey.String(j.branch)}})
	}
	failed := err != nil && (l.failed || r.blind)
	if h := l.holder; h != nil {
		h.failed = h.failed || failed
		h.join(l)
	}
	end(l.span, err, !failed, at)
}

// last is the last step of a branch, so far.
type last struct {
	branch string
	step   trace.SpanContext
}

// mostLinks is how many links the SDK keeps of a span, unless told otherwise.
const mostLinks = 128

// join remembers done, if it stands in a branch of l: no step of that branch has
// ended later.
func (l *live) join(done *live) {
	if done.branch == "" {
		return
	}
	l.joined = slices.DeleteFunc(l.joined, func(j last) bool { return j.branch == done.branch })
	if len(l.joined) == mostLinks {
		l.joined = slices.Delete(l.joined, 0, 1)
	}
	l.joined = append(l.joined, last{done.branch, done.span.SpanContext()})
}
