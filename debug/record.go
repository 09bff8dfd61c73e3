package debug

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/observe"
)

// record holds what pages show of one run. Locks are taken in this order: record.mu, then those of guards and tallies.
type record struct {
	book   *book
	run    observe.Run
	plan   *planStats
	begun  time.Duration           // by Options.Clock
	cancel context.CancelCauseFunc // nil unless runs can be cancelled by pages

	prev, next *record       // guarded by book.mu, like listed and closed
	listed     bool          // the run is one of the listed live runs
	closed     time.Duration // when the run ended, by Options.Clock

	mu     sync.Mutex
	steps  steps
	past   ring[life] // steps that have ended
	lives  int        // how many listed steps have ended
	events ring[happening]
	seen   int // how many events were noted
	end    *ending
	flight []byte // a flight record, or nil

	streams []*streamView // the latest event of each stream

	saying sync.Mutex
	said   []slog.Attr // the attributes from which words was made
	words  []attrView  // see attributes
}

type happening struct {
	At      span   `json:"at"`
	What    string `json:"what"`
	Path    string `json:"path,omitempty"`
	Label   string `json:"label,omitempty"`
	Outcome string `json:"outcome,omitempty"`
	Error   string `json:"error,omitempty"`
}

type ending struct {
	at     time.Duration // by Options.Clock
	took   time.Duration
	code   fault.Code // "" is success
	brief  string     // the text of the error
	detail string     // the error with %+v
	path   string     // of the step that failed
	label  string
}

func (r *record) watch(e observe.Event) {
	if e.Kind == observe.RunEnd {
		r.glance(e)
		return
	}
	if e.Kind == observe.Progress {
		r.progress(e)
		return
	}
	h := happening{At: span(e.At), What: what(e), Path: e.Path(), Label: e.Label()}
	switch e.Kind {
	case observe.Handled:
		h.Outcome, h.Error = e.Outcome.String(), brief(e.Err)
	case observe.StepEnd:
		h.Error = string(fault.CodeOf(e.Err)) // the text is in an earlier event
	default:
		h.Error = brief(e.Err)
	}
	site, kind, won := siteOf(e), e.StepKind(), e.Winners()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(h)
	switch e.Kind {
	case observe.StepStart:
		r.begin(e, h, kind)
	case observe.StepEnd:
		r.finish(e, h, won)
	case observe.Suspended:
		r.steps.turn(h.Path, suspended, e.At, site)
	case observe.Queued:
		if s := r.steps.turn(h.Path, queued, e.At, site); s != nil && s.entry != nil {
			s.entry.queue(r.begun + e.At)
		}
	case observe.Resumed:
		if s := r.steps.turn(h.Path, running, e.At, site); s != nil && s.entry != nil {
			s.entry.enter(r.begun + e.At)
		}
	case observe.Handled:
		if s := r.steps.byPath[h.Path]; s != nil && kind == attempt && s.holder != nil {
			s.holder.lastError = h.Error
		}
	case observe.Raised:
		if s := r.steps.byPath[h.Path]; s != nil && s.entry != nil && fault.Is(e.Err, fault.DefenseRejected) {
			s.entry.reject(r.begun + e.At)
		}
	default:
	}
}

const attempt = "attempt"

func (r *record) begin(e observe.Event, h happening, kind string) {
	stats := r.plan.step(h.Path, h.Label, kind)
	stats.begin()
	l := life{path: h.Path, label: h.Label, kind: kind, from: e.At}
	if kind == attempt {
		l.attempt, l.most = e.Attempt()
	}
	s := r.steps.begin(l, stats)
	if s != nil && s.holder != nil && l.attempt > 0 {
		s.holder.tried, s.holder.tries = l.attempt, l.most
	}
	if g := r.book.guardOf(e); g != nil && s != nil {
		s.entry = g.begin(r, &l, s.nameAround())
	}
}

// finish notes the end of a step. If the step isn't listed, its end isn't counted, because it isn't known when the step began.
func (r *record) finish(e observe.Event, h happening, won []int) {
	s := r.steps.end(h.Path)
	if s == nil {
		if stats := r.plan.step(h.Path, h.Label, ""); stats != nil {
			stats.forget()
		}
		return
	}
	s.stats.end(r.begun+e.At, e.At-s.from, e.Err != nil)
	if s.entry != nil {
		s.entry.leave()
	}
	s.won = won
	r.keep(s, e.At, fault.Code(h.Error))
}

// keep keeps the life of a step that has ended, for the timeline.
func (r *record) keep(s *liveStep, at time.Duration, code fault.Code) {
	s.stop(at)
	s.to, s.code = at, code
	r.past.add(s.life)
	r.lives++
}

func what(e observe.Event) string {
	if e.Note != "" {
		return e.Kind.String() + ", " + e.Note
	}
	return e.Kind.String()
}

// glance notes the end of a run, and no other event. It is the observe.Watch of a run that isn't listed.
func (r *record) glance(e observe.Event) {
	if e.Kind != observe.RunEnd {
		return
	}
	end := &ending{at: r.book.options.Clock(), took: e.At}
	if e.Err != nil {
		end.code, end.brief, end.detail = fault.CodeOf(e.Err), brief(e.Err), detail(e.Err)
		if raised, ok := fault.AsType[*fault.Error](e.Err); ok && raised != nil {
			end.path, end.label = raised.Path, raised.Name
		}
	}
	r.plan.end(end.at, e.At, e.Err != nil)
	r.plan.past.add(end.at, e.At, e.Err != nil)
	r.mu.Lock()
	for _, s := range r.steps.byPath { // steps that a flow.Linger has left behind: nobody is told of their end
		s.stats.forget()
		if s.entry != nil {
			s.entry.leave()
		}
		r.keep(s, e.At, fault.Cancelled)
	}
	r.end, r.steps = end, steps{}
	r.note(happening{At: span(e.At), What: e.Kind.String(), Error: end.brief})
	r.mu.Unlock()
	r.book.close(r, end.at, e.Err != nil)
	if r.cancel != nil {
		r.cancel(nil)
	}
	if e.Err != nil {
		r.book.failures.offer(r)
	}
}

func (r *record) note(h happening) {
	r.seen++
	r.events.add(h)
}

func (r *record) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.end != nil
}
