package debug

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
)

// Durable gives pages access to the runs that an engine keeps, live ones and ended ones. Both functions must be set. They are
// called on goroutines of their own, several at a time. The context of a call ends after five seconds, and the page waits at most a
// grace longer for the call. While sixteen calls haven't returned, pages make no further calls of that engine.
type Durable struct {
	// Runs returns up to limit runs, those that began last first. Unless text is empty, only runs with text in their ids are
	// returned, and unless state is empty, only runs in that state. Pages show an error of Runs.
	Runs func(ctx context.Context, text, state string, limit int) ([]DurableRun, error)

	// History returns the run with the given id, and what has happened in it, in order. Pages show an error of History.
	History func(ctx context.Context, id string) (DurableRun, []DurableEvent, error)
}

// DurableRun is a run that an engine keeps.
type DurableRun struct {
	ID       string    `json:"id"`
	Workflow string    `json:"workflow"`
	State    string    `json:"state"`
	Why      string    `json:"why,omitempty"` // why the run stands still, or has failed
	Began    time.Time `json:"began"`
	Ended    time.Time `json:"ended,omitzero"`
}

// DurableEvent is an event of the history of a [DurableRun].
type DurableEvent struct {
	At   time.Time `json:"at"`
	Kind string    `json:"kind"`
	Name string    `json:"name,omitempty"`
	Data string    `json:"data,omitempty"` // pages cut long data off
}

type durableSource struct {
	name string
	Durable

	calls *atomic.Int32 // how many calls of Runs and History haven't returned
}

// Durable shows the runs of d under a name, in place of the engine that had the name. If a function of d is nil, Durable only
// removes that engine.
func (h *Handler) Durable(name string, d Durable) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.durables = slices.DeleteFunc(h.durables, func(known durableSource) bool { return known.name == name })
	if d.Runs != nil && d.History != nil {
		h.durables = append(h.durables, durableSource{name, d, new(atomic.Int32)})
	}
}

func (h *Handler) durable() []durableSource {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.durables)
}
