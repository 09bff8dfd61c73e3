package otel

import (
	"context"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/futoin-go/asyncsteps/observe"
)

type live struct {
	span   trace.Span
	ctx    context.Context // holds span
	holder *live           // the live step with a span around this one, or nil
	branch string          // the branch of holder that the step is in, or ""
	joined []last          // the last ended step of each branch, in the order in which these steps ended
}

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
	l.ctx, l.span = r.tracer.Start(parent, valid(e.Label()), trace.WithTimestamp(at), trace.WithAttributes(ofStep(e, path)...)) //nolint:spancheck // finish ends it
	r.steps[path] = l
}

// elided reports whether the middle of a very deep path was left out. Several steps may have the same elided path.
func elided(path string) bool { return strings.Contains(path, "…") }

// holder returns the innermost live step around the step at path, and the branch of the holder in which the step at path is.
// The branch is the segment of path after the path of the holder. It is "" if that segment is the step itself.
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

// finish ends the span of a step, and records its end at the step around it.
func (l *live) finish(e observe.Event, at time.Time) {
	l.link()
	if l.holder != nil {
		l.holder.join(l)
	}
	end(l.span, e.Err, e.Cancelled(), at)
}

// link links the span of a step to the steps of its branches that have ended last.
func (l *live) link() {
	for _, j := range l.joined {
		l.span.AddLink(trace.Link{SpanContext: j.step, Attributes: []attribute.KeyValue{BranchKey.String(j.branch)}})
	}
}

// last is the step of a branch that has ended last.
type last struct {
	branch string
	step   trace.SpanContext
}

// mostLinks is the number of links that the SDK keeps for a span by default.
const mostLinks = 128

// join records done as the last step of its branch of l, if done is in a branch.
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
