package debug

import (
	"maps"
	"time"

	"github.com/futoin-go/asyncsteps/observe"
)

// snapshot is a record at one moment.
type snapshot struct {
	run    observe.Run
	now    time.Duration // by Options.Clock
	age    time.Duration
	steps  map[string]standing
	others int // live steps that aren't in steps
	events []happening
	seen   int
	end    *ending
}

func (r *record) snapshot() snapshot {
	now := r.book.options.Clock()
	r.mu.Lock()
	defer r.mu.Unlock()
	return snapshot{
		run: r.run, now: now, age: max(0, now-r.begun),
		steps: maps.Clone(r.steps), others: r.count - len(r.steps),
		events: r.events.all(), seen: r.seen, end: r.end,
	}
}
