package observe

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

// Recorder keeps the events of the runs it observes, for package observe/timeline or for a test to look at. Make one with
// [NewRecorder]. Any goroutine may call its methods, while runs go on.
type Recorder struct {
	limit int

	mu     sync.Mutex
	runs   []*recording              // runs that have had an event and aren't forgotten
	events int                       // how many events of all runs are kept
	order  int                       // how many events were kept so far, including those that are forgotten
	ended  int                       // how many of runs have ended
	clocks map[*tool.Host]*recording // for each loop, a run whose start the start of a new run is compared with, see align
}

// Recording is the part of one run that a [Recorder] has kept. It is a copy and doesn't change.
type Recording struct {
	// Run is the run. Run.Started is corrected so that the starts of two runs of one loop
	// differ as they do by the clock of that loop.
	Run Run
	// Entries are the events of the run, in their order. The last one is [RunEnd] if the
	// run has ended.
	Entries []Entry
	// Lost counts the events for which there was no room. They are missing in Entries, mostly at its end. RunEnd is always kept.
	Lost int
	// After is how many Entries the run's parent had when one of the parent's steps
	// started this run; 0 if the parent isn't recorded.
	After int
}

// Entry is an [Event] that can be kept.
type Entry struct {
	Kind     Kind
	At       time.Duration // since Run.Started
	Path     string        // of the step; "" is the run
	Name     string        // of the step; "" is none
	StepKind string        // kind of the step; "" is the run
	Err      error
	Outcome  fault.Outcome // of Handled
	Note     string        // of GuardChanged and Progress
	// Order is the number of the event, from 1, among the events of all runs on all loops that the Recorder has kept, in the
	// order in which they came.
	Order int
}

// Label returns the step's name, or its kind if it has none.
func (e Entry) Label() string {
	if e.Name != "" {
		return e.Name
	}
	return e.StepKind
}

// NewRecorder makes a Recorder that keeps up to limit events of all runs together, at least one. When there are more, it
// forgets runs that have ended, the oldest first. If no run has ended, new events are lost, except the end of a run. Only the
// last of the [Progress] events of a stream is kept.
func NewRecorder(limit int) *Recorder {
	return &Recorder{limit: max(1, limit), clocks: make(map[*tool.Host]*recording)}
}

// Start implements [Observer].
func (r *Recorder) Start(ctx context.Context, run Run) (context.Context, Watch) {
	g := &recording{Recording: Recording{Run: run}, paths: make(paths)}
	if parent, ok := ctx.Value(r).(*recording); ok {
		g.After = r.kept(parent)
	}
	return context.WithValue(ctx, r, g), func(e Event) {
		note, kept := noteOf(e)
		if !kept {
			return
		}
		entry := Entry{e.Kind, e.At, g.paths.of(e), e.Name(), e.StepKind(), e.Err, e.Outcome, note, 0}
		if g.host == nil && e.frame != nil {
			host := e.frame.Run().Host()
			r.align(g, host, host.Now()-e.At)
		}
		r.add(g, entry)
	}
}

// Runs returns the recordings that are kept, in the order in which the runs were started. A run without an event isn't among
// them.
func (r *Recorder) Runs() []Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	runs := make([]Recording, len(r.runs))
	for i, g := range r.runs {
		runs[i] = g.Recording
		n := len(g.Entries)
		runs[i].Entries = g.Entries[:n:n] // capped, so that later entries are not added to this slice
	}
	slices.SortFunc(runs, func(a, b Recording) int { return cmp.Compare(a.Run.ID, b.Run.ID) })
	return runs
}
