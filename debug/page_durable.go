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
		runs, err := taken(flow.Run(plain{r.Context()}, listed, runsOf{d, v.Contains, v.State}))
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

// answerLimit is how long a function of a [Durable] may take. The clients of a live update wait for it together.
const answerLimit = 5 * time.Second

// mostCalls bounds the goroutines that an engine holds which doesn't heed its context.
const mostCalls = 16

var errBusy = errors.New("earlier calls haven't returned yet")

func (s durableSource) call(function func() error) error {
	defer s.calls.Add(-1)
	if s.calls.Add(1) > mostCalls {
		return errBusy
	}
	return function()
}

type runsOf struct {
	durableSource

	text, state string
}

// answerOf is what an engine returns, so that an error of the run in which it is asked is another matter.
type answerOf[T any] struct {
	value T
	err   error
}

var listed = flow.Timeout(answerLimit, step.Await(func(ctx context.Context, q runsOf) (a answerOf[[]DurableRun], _ error) {
	a.err = q.call(func() (err error) {
		a.value, err = q.Runs(ctx, q.text, q.state, maxDurable)
		return err
	})
	return a, nil
}))

type historyOf struct {
	durableSource

	id string
}

type history struct {
	run    DurableRun
	events []DurableEvent
}

var told = flow.Timeout(answerLimit, step.Await(func(ctx context.Context, q historyOf) (a answerOf[history], _ error) {
	a.err = q.call(func() (err error) {
		a.value.run, a.value.events, err = q.History(ctx, q.id)
		return err
	})
	return a, nil
}))

// taken returns what an engine has answered. err is that of the run in which it was asked.
func taken[T any](a answerOf[T], err error) (T, error) {
	switch {
	case fault.Is(err, fault.Timeout):
		return a.value, errors.New("no answer within " + answerLimit.String())
	case err != nil:
		return a.value, err
	default:
		return a.value, a.err
	}
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
	kept, err := taken(flow.Run(plain{r.Context()}, told, historyOf{all[i], q.Get("id")}))
	if err != nil {
		return nil, &refusal{errNoKept.status, errNoKept.text + ": " + clip(err.Error(), maxBrief)}
	}
	run, events := kept.run, kept.events
	run.Why = clip(run.Why, maxBrief)
	events = slices.Clone(events[max(0, len(events)-maxHistory):])
	for j := range events {
		events[j].Data = clip(events[j].Data, maxBrief)
	}
	return durableRunView{q.Get("engine"), run, events}, nil
}
