package debug

import (
	"html/template"
	"net/http"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
)

type oneRunView struct {
	runView

	Detail   string      `json:"detail,omitempty"` // the error with %+v
	Children []runView   `json:"children,omitempty"`
	Events   []happening `json:"events"`  // the last ones, oldest first
	Earlier  int         `json:"earlier"` // events that aren't kept

	// Spans are the steps whose times are kept, in the order of the plan: the live ones, and those that ended last. LostSpans
	// is how many other listed steps have ended.
	Spans     []spanView `json:"spans"`
	LostSpans int        `json:"lostSpans"`

	// Streams are the streams of the run, at most maxStreams, each as of its last event.
	Streams []*streamView `json:"streams,omitempty"`

	Flight bool `json:"flight,omitempty"`

	// Plan is left out if it has more than maxParts parts.
	Plan  *flow.Tree `json:"plan,omitempty"`
	Parts int        `json:"parts"`

	Shown    []stepView    `json:"-"` // the first steps of Stands
	NotShown int           `json:"-"` // how many live steps aren't in Shown, without listed steps that hold others
	Timeline timeline      `json:"-"`
	Picture  template.HTML `json:"-"`
	Tree     template.HTML `json:"-"`
	Control  bool          `json:"-"`
}

const maxShown = 100

const maxParts = 1000

// runCopy is a copy of a record, from which the page is made without the lock of the record.
type runCopy struct {
	runView

	age    time.Duration // how old the run is, or was when it ended
	lives  []life        // the lives of steps; to is openEnd for a live step
	lost   int
	events []happening
	seen   int
	end    *ending
	flight bool

	streams []*streamView
}

func (r *record) copied(l *look) runCopy {
	attrs := r.attributes()
	r.mu.Lock()
	defer r.mu.Unlock()
	c := runCopy{
		runView: r.locked(l, maxSteps, attrs), age: max(0, l.now-r.begun), lives: r.past.all(), events: r.events.all(), seen: r.seen,
		end: r.end, flight: r.flight != nil,
		streams: slices.Clone(r.streams),
	}
	c.lost = r.lives - len(c.lives)
	for _, s := range r.steps.byPath {
		open := s.life
		open.waits = slices.Clone(open.waits) // the loop goes on writing
		open.to = openEnd
		c.lives = append(c.lives, open)
	}
	if r.end != nil {
		c.age = r.end.took
	}
	return c
}

const openEnd = -1

func (h *Handler) oneRun(r *http.Request) (any, error) {
	found, err := h.asked(r)
	if err != nil {
		return nil, err
	}
	l := newLook(h.book.options.Clock())
	c := found.copied(l)
	slices.SortFunc(c.Stands, func(a, b stepView) int { return comparePaths(a.Path, b.Path) })
	v := &oneRunView{
		runView: c.runView, Events: c.events, Earlier: c.seen - len(c.events), LostSpans: c.lost,
		Flight: c.flight, Control: h.book.options.Control, Streams: c.streams,
	}
	v.Shown = v.Stands[:min(len(v.Stands), maxShown)]
	v.NotShown = v.MoreSteps + len(v.Stands) - len(v.Shown)
	v.Spans = spansOf(c)
	o := h.outline.of(found.run)
	v.Parts = len(o.parts)
	if v.Parts <= maxParts {
		v.Plan = o.tree
	}
	if c.end != nil {
		v.Detail = c.end.detail
	}
	live, _ := h.book.running()
	for _, other := range live {
		if other.run.Parent == found.run.ID {
			v.Children = append(v.Children, other.view(l, maxStands))
		}
	}
	marks := marksOf(o, c.runView)
	if v.Picture, err = o.newFolding(r.URL.Query(), marks).svg("run", found.run.ID, marks); err != nil {
		return nil, err
	}
	v.Tree = treeHTML(o.rows(marks))
	v.Timeline, err = newTimeline(r.URL.Query(), v.Spans, c.age, c.end != nil)
	return v, err
}
