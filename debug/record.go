package debug

import (
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/observe"
)

// record is what is known of one run. It is written on the run's loop and read
// by pages.
type record struct {
	book  *book
	run   observe.Run
	begun time.Duration // by Options.Clock

	mu     sync.Mutex
	steps  map[string]standing // the live ones, by path
	count  int                 // of the live ones: no more than maxSteps are in steps
	events ring[happening]
	seen   int // of events, in all
	end    *ending
}

// happening is an event as it is kept, and shown.
type happening struct {
	At      span   `json:"at"`
	What    string `json:"what"`
	Path    string `json:"path,omitempty"`
	Label   string `json:"label,omitempty"`
	Outcome string `json:"outcome,omitempty"`
	Error   string `json:"error,omitempty"`
}

// ending is how a run has ended.
type ending struct {
	at     time.Duration // by Options.Clock
	took   time.Duration
	code   fault.Code // "" is success
	brief  string     // the error in one line
	detail string     // the error with %+v
	path   string     // of the step that failed
}

// watch is the observe.Watch of a listed run.
func (r *record) watch(e observe.Event) {
	if e.Kind == observe.RunEnd {
		r.glance(e)
		return
	}
	h := happening{At: span(e.At), What: what(e), Path: e.Path(), Label: e.Label()}
	switch e.Kind {
	case observe.Handled:
		h.Outcome, h.Error = e.Outcome.String(), brief(e.Err)
	case observe.StepEnd:
		h.Error = string(fault.CodeOf(e.Err)) // an earlier event has said the rest
	default:
		h.Error = brief(e.Err)
	}
	site := siteOf(e)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(h)
	switch e.Kind {
	case observe.StepStart:
		r.begin(h.Path, standing{label: h.Label, kind: e.StepKind(), state: running, guard: r.book.guardOf(e), since: e.At})
	case observe.StepEnd:
		delete(r.steps, h.Path)
		r.count--
	case observe.Suspended:
		r.turn(h.Path, suspended, e.At, site)
	case observe.Queued:
		r.turn(h.Path, queued, e.At, site)
	case observe.Resumed:
		r.turn(h.Path, running, e.At, site)
	default:
	}
}

// what says in words what has happened.
func what(e observe.Event) string {
	if e.Note != "" {
		return e.Kind.String() + ", " + e.Note
	}
	return e.Kind.String()
}

// glance is the observe.Watch of a run that isn't listed: it sees the end.
func (r *record) glance(e observe.Event) {
	if e.Kind != observe.RunEnd {
		return
	}
	end := &ending{at: r.book.options.Clock(), took: e.At}
	if e.Err != nil {
		end.code, end.brief, end.detail = fault.CodeOf(e.Err), brief(e.Err), detail(e.Err)
		if raised, ok := fault.AsType[*fault.Error](e.Err); ok && raised != nil {
			end.path = raised.Path
		}
	}
	r.mu.Lock()
	r.end, r.steps = end, nil
	r.note(happening{At: span(e.At), What: e.Kind.String(), Error: end.brief})
	r.mu.Unlock()
	r.book.close(r, e.Err != nil)
}

func (r *record) note(h happening) {
	r.seen++
	r.events.add(h)
}
