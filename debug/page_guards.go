package debug

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"
)

type guardsView struct {
	Guards []guardView `json:"guards"`
}

// guardView is a guard with the sections that are inside or queued. Those that have been there longest come first.
type guardView struct {
	Name     string      `json:"name"`
	Kind     string      `json:"kind"`
	Problem  string      `json:"problem,omitempty"`  // why it isn't well formed
	State    string      `json:"state,omitempty"`    // of a breaker
	Capacity int         `json:"capacity,omitempty"` // 0 if the guard doesn't report it
	Inside   int         `json:"inside"`
	Queued   int         `json:"queued"`
	Entered  uint64      `json:"entered"` // this and the fields below count listed runs only, except Inside and Queued in History
	Rejected uint64      `json:"rejected"`
	Rate     float64     `json:"rate"` // entries per second, in the last minute
	Waits    quantiles   `json:"waits"`
	Holders  []entryView `json:"holders"`
	Queue    []entryView `json:"queue"`
	History  []guardPast `json:"history"` // a sample each second, the latest one last

	Charts []chart  `json:"-"`
	Number int      `json:"-"`
	Hands  handView `json:"-"`
}

type guardPast struct {
	Inside  int     `json:"inside"`
	Queued  int     `json:"queued"`
	Rejects float64 `json:"rejects"` // per second
}

type entryView struct {
	Run  uint64 `json:"run"`
	Plan string `json:"plan"`
	stepView
}

const maxEntries = 200

func (h *Handler) allGuards(*http.Request) (any, error) {
	guards, _ := h.shown()
	now := h.book.options.Clock()
	v := guardsView{Guards: []guardView{}}
	for _, g := range guards {
		one := g.view(now)
		one.Hands = g.hands(h.book.options.Control)
		v.Guards = append(v.Guards, one)
	}
	return v, nil
}

func (g *guard) view(now time.Duration) guardView {
	inside, waiting := g.counts()
	v := guardView{
		Name: g.name, Kind: fmt.Sprintf("%T", g.Guard), Number: g.number, Problem: g.problem, Capacity: g.capacity(),
		State: g.state(), Inside: inside, Queued: waiting, History: []guardPast{},
	}
	g.mu.Lock()
	v.Entered, v.Rejected, v.Rate, v.Waits = g.entered, g.rejected, g.enters.perSecond(now), g.waits.quantiles(now)
	v.Holders, v.Queue = g.inside.view(now, running), g.queue.view(now, queued)
	past := g.history.all()
	g.mu.Unlock()
	for _, s := range past {
		v.History = append(v.History, guardPast{s.inside, s.queued, s.rejects})
	}
	v.Charts = []chart{
		newChart("inside", past, func(s guardSample) float64 { return float64(s.inside) }, count),
		newChart("queued", past, func(s guardSample) float64 { return float64(s.queued) }, count),
		newChart("rejected per second", past, func(s guardSample) float64 { return s.rejects }, figure),
	}
	return v
}

// view shows the entries that have been in the list longest. The caller has the lock of the guard.
func (l *entries) view(now time.Duration, what state) []entryView {
	all := []entryView{}
	for e := l.first; e != nil && len(all) < maxEntries; e = e.next {
		r := e.record
		all = append(all, entryView{r.run.ID, r.plan.name, stepView{
			Path: e.path, Label: e.label, Kind: e.kind, In: e.in, State: what, Guard: e.guard.name, For: span(max(0, now-e.since)),
		}})
	}
	slices.SortStableFunc(all, func(a, b entryView) int { return cmp.Compare(b.For, a.For) })
	return all
}
