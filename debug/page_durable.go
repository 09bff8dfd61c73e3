package debug

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
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
		runs, err := askEngine(r.Context(), d, func(ctx context.Context) ([]DurableRun, error) {
			return d.Runs(ctx, v.Contains, v.State, maxDurable)
		})
		if err != nil {
			l.Problem = clip(err.Error(), maxBrief)
		}
		for _, run := range runs {
			l.Runs = append(l.Runs, durableLine{run.shown(), "durable-run?" + url.Values{"engine": {d.name}, "id": {run.ID}}.Encode()})
		}
		v.Engines = append(v.Engines, l)
	}
	return v, nil
}

// shown returns r as pages show it.
func (r DurableRun) shown() DurableRun {
	r.Why, r.Began, r.Ended = clip(r.Why, maxBrief), writable(r.Began), writable(r.Ended)
	return r
}

// answerLimit is how long a function of a [Durable] may take. All clients that share a live update wait while it runs.
const answerLimit = 5 * time.Second

// mostCalls bounds how many goroutines an engine that ignores its context can hold.
const mostCalls = 16

var errBusy = errors.New("earlier calls haven't returned yet")

// askEngine calls ask, which calls a function of d, and returns the results of ask. It gives up after answerLimit and a grace,
// because the function may ignore its context. While mostCalls calls haven't returned, askEngine returns errBusy and doesn't call
// ask.
func askEngine[T any](ctx context.Context, d durableSource, ask func(context.Context) (T, error)) (T, error) {
	var failed error
	call := step.Await(func(ctx context.Context, _ step.Unit) (v T, _ error) {
		defer d.calls.Add(-1)
		if d.calls.Add(1) > mostCalls {
			failed = errBusy
			return v, nil
		}
		v, failed = ask(ctx)
		return v, nil
	})
	v, err := flow.Run(plain{ctx}, flow.Timeout(answerLimit, call), step.Unit{})
	switch {
	case fault.Is(err, fault.Timeout):
		return v, errors.New("no answer within " + answerLimit.String())
	case err != nil:
		return v, err
	default: // call has ended, so failed is set
		return v, failed
	}
}

type history struct {
	run    DurableRun
	events []DurableEvent
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
	kept, err := askEngine(r.Context(), all[i], func(ctx context.Context) (h history, err error) {
		h.run, h.events, err = all[i].History(ctx, q.Get("id"))
		return h, err
	})
	if err != nil {
		return nil, &refusal{errNoKept.status, errNoKept.text + ": " + clip(err.Error(), maxBrief)}
	}
	events := slices.Clone(kept.events[max(0, len(kept.events)-maxHistory):])
	for j := range events {
		events[j].At, events[j].Data = writable(events[j].At), clip(events[j].Data, maxBrief)
	}
	return durableRunView{q.Get("engine"), kept.run.shown(), events}, nil
}
