package debug

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/observe"
)

// maxSteps bounds the steps that are listed of a run.
const maxSteps = 1000

// standing is how a live step stands.
type standing struct {
	label, kind string
	state       state
	guard       string        // the name of the guard that it is a section of
	since       time.Duration // it is in that state, counted from the run's start
	site        fault.Site    // known once it waits
}

// state is what a live step does.
type state string

const (
	running   state = "running"
	suspended state = "suspended"
	queued    state = "queued"
)

// begin lists a step, unless it is one too many.
func (r *record) begin(path string, s standing) {
	r.count++
	if r.steps == nil {
		r.steps = make(map[string]standing)
	}
	if len(r.steps) < maxSteps {
		r.steps[path] = s
	}
}

// turn changes the state of a step, if it is listed.
func (r *record) turn(path string, to state, at time.Duration, site fault.Site) {
	s, listed := r.steps[path]
	if !listed {
		return
	}
	s.state, s.since = to, at
	if site != (fault.Site{}) {
		s.site = site
	}
	r.steps[path] = s
}

// siteOf is where a step that begins to wait was built. To look it up costs as
// much as all the rest, so it isn't done for steps that just run.
func siteOf(e observe.Event) fault.Site {
	if e.Kind == observe.Suspended || e.Kind == observe.Queued {
		return e.Site()
	}
	return fault.Site{}
}

// guardOf is the name of the guard that the step of e is a section of, "" if it
// is none that is shown.
func (b *book) guardOf(e observe.Event) string {
	for _, g := range *b.guards.Load() {
		if observe.IsSection(e, g.Guard) {
			return g.name
		}
	}
	return ""
}
