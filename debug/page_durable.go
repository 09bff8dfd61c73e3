package debug

import (
	"net/http"
	"net/url"
	"slices"
)

type durableView struct {
	Engines  []durableList `json:"engines"`
	Contains string        `json:"-"`
	State    string        `json:"-"`
	States   []string      `json:"-"`
}

type durableList struct {
	Name    string        `json:"name"`
	Problem string        `json:"problem,omitempty"`
	Runs    []durableLine `json:"runs"`
}

type durableLine struct {
	DurableRun

	Link string `json:"-"`
}

// Bounds of what is shown of an engine.
const (
	maxDurable = 200  // runs in the list
	maxHistory = 1000 // events of a run, the last ones
)

// durableStates are the states of package durable/sqlite.
var durableStates = []string{"lives", "stands still", "succeeded", "failed", "cancelled"}

func (h *Handler) allDurable(r *http.Request) (any, error) {
	q := r.URL.Query()
	v := durableView{Engines: []durableList{}, Contains: q.Get("q"), State: q.Get("state"), States: durableStates}
	for _, d := range h.durable() {
		l := durableList{Name: d.name, Runs: []durableLine{}}
		runs, err := d.Runs(r.Context(), v.Contains, v.State, maxDurable)
		if err != nil {
			l.Problem = clip(err.Error(), maxBrief)
		}
		for _, run := range runs {
			run.Why = clip(run.Why, maxBrief)
			l.Runs = append(l.Runs, durableLine{run, "durable-run?" + url.Values{"engine": {d.name}, "id": {run.ID}}.Encode()})
		}
		v.Engines = append(v.Engines, l)
	}
	return v, nil
}

type durableRunView struct {
	Engine string         `json:"engine"`
	Run    DurableRun     `json:"run"`
	Events []DurableEvent `json:"events"`
}

var (
	errNoDurable = &refusal{http.StatusNotFound, "there is no such engine: see durable"}
	errNoKept    = &refusal{http.StatusNotFound, "the engine has no such run"}
)

func (h *Handler) oneDurable(r *http.Request) (any, error) {
	q := r.URL.Query()
	all := h.durable()
	i := slices.IndexFunc(all, func(d durableSource) bool { return d.name == q.Get("engine") })
	if i < 0 {
		return nil, errNoDurable
	}
	run, events, err := all[i].History(r.Context(), q.Get("id"))
	if err != nil {
		return nil, &refusal{errNoKept.status, errNoKept.text + ": " + clip(err.Error(), maxBrief)}
	}
	run.Why = clip(run.Why, maxBrief)
	events = slices.Clone(events[max(0, len(events)-maxHistory):])
	for j := range events {
		events[j].Data = clip(events[j].Data, maxBrief)
	}
	return durableRunView{q.Get("engine"), run, events}, nil
}
