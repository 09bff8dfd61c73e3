package debug

import (
	"net/url"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

type runView struct {
	ID      uint64     `json:"id"`
	Name    string     `json:"name"`
	Site    fault.Site `json:"site"`
	Parent  uint64     `json:"parent,omitempty"`
	Started time.Time  `json:"started"`
	Age     span       `json:"age"` // time since the start, even if the run has ended
	Attrs   []attrView `json:"attrs,omitempty"`

	// Stands are the live steps that hold no other step. In a list of runs they are in the order in which they have come to
	// hold none. On the page of the run they are sorted by path. MoreSteps is how many live steps are left out.
	Stands    []stepView `json:"stands,omitempty"`
	MoreSteps int        `json:"moreSteps,omitempty"`

	// End is nil if the run lives.
	End *endView `json:"end,omitempty"`
}

type stepView struct {
	Path  string     `json:"path"`
	Label string     `json:"label"`
	Kind  string     `json:"kind"`
	In    string     `json:"in,omitempty"` // if the step has no name, the name of the nearest step around it that has one
	State state      `json:"state"`
	Guard string     `json:"guard,omitempty"` // if the step is a section of a guard that is shown, the name of the guard
	For   span       `json:"for"`             // how long the step has been in State
	Queue *queueView `json:"queue,omitempty"` // what the step waits for, if it is in the queue of a guard that is shown

	// Attempt is the number, from 1, of the attempt in the nearest retry around the step. Of is how many attempts there may
	// be, 0 for any number. LastError is the error of the last attempt that failed.
	Attempt   int    `json:"attempt,omitempty"`
	Of        int    `json:"of,omitempty"`
	LastError string `json:"lastError,omitempty"`

	Site fault.Site `json:"site,omitzero"` // set once the step has waited
}

type endView struct {
	Took  span       `json:"took"`
	Ago   span       `json:"ago"`
	Code  fault.Code `json:"code,omitempty"` // "" is success
	Error string     `json:"error,omitempty"`
	Path  string     `json:"path,omitempty"` // of the step that failed
}

type attrView struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

func (a attrView) Link() string { return "index?attr=" + url.QueryEscape(a.Key+"="+a.Value) }

// Attr returns the attribute with the given key, or the zero attrView.
func (v runView) Attr(key string) attrView {
	if at := slices.IndexFunc(v.Attrs, func(a attrView) bool { return a.Key == key }); at >= 0 {
		return v.Attrs[at]
	}
	return attrView{}
}

// view shows the run, with at most limit of the steps where it stands.
func (r *record) view(l *look, limit int) runView {
	attrs := r.attributes()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.locked(l, limit, attrs)
}

// locked does the work of view; the caller holds r.mu.
func (r *record) locked(l *look, limit int, attrs []attrView) runView {
	age := max(0, l.now-r.begun)
	v := runView{
		ID: r.run.ID, Name: r.plan.name, Site: r.plan.site, Parent: r.run.Parent,
		Started: r.run.Started, Age: span(age), Attrs: attrs,
		MoreSteps: r.steps.count - len(r.steps.byPath),
	}
	n := 0
	for s := r.steps.first; s != nil; s = s.next {
		if n++; n <= limit {
			v.Stands = append(v.Stands, s.view(l, age))
			continue
		}
		v.MoreSteps += r.steps.standing[0] + r.steps.standing[1] + r.steps.standing[2] - limit
		break
	}
	if e := r.end; e != nil {
		v.End = &endView{Took: span(e.took), Ago: span(max(0, l.now-e.at)), Code: e.code, Error: e.brief, Path: e.path}
	}
	return v
}

// view shows the step. age is the age of the run.
func (n *liveStep) view(l *look, age time.Duration) stepView {
	v := stepView{
		Path: n.path, Label: n.label, Kind: n.kind, In: n.nameAround(),
		State: n.state, For: span(max(0, age-n.since)), Site: n.site,
	}
	if n.entry != nil {
		v.Guard = n.entry.guard.name
		if n.state == queued {
			v.Queue = l.queueOf(n.entry)
		}
	}
	for h := n; h != nil; h = h.holder {
		if h.tried > 0 {
			v.Attempt, v.Of, v.LastError = h.tried, h.tries, h.lastError
			break
		}
	}
	return v
}

// attributes returns the attributes of the run as text. It formats them only if they have changed since the last call.
func (r *record) attributes() []attrView {
	attrs := r.run.Attrs()
	if attrs == nil {
		return nil
	}
	r.saying.Lock()
	defer r.saying.Unlock()
	if len(attrs) == 0 || len(r.said) == len(attrs) && &r.said[0] == &attrs[0] {
		return r.words
	}
	r.said, r.words = attrs, make([]attrView, len(attrs))
	for i, a := range attrs {
		r.words[i] = attrView{clip(a.Key, maxAttr), clip(a.Value.String(), maxAttr)}
	}
	return r.words
}

const maxAttr = 200
