package debug

import (
	"cmp"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// statusView is the line on top of each page.
type statusView struct {
	Live      int         `json:"live"`
	Unlisted  int         `json:"unlisted"`  // live runs that aren't listed: see Options.Live
	Running   int         `json:"running"`   // listed runs with a step that runs
	Suspended int         `json:"suspended"` // listed runs with a step that waits for something outside
	Queued    int         `json:"queued"`    // listed runs with a step in the queue of a guard
	Failed    []codeCount `json:"failed"`    // codes of the failed runs that are kept, the most frequent first
	Loops     []loopState `json:"loops"`

	MoreLoops int `json:"-"` // loops that the line has no room for
}

// codeCount is how many of the kept runs have failed with a code.
type codeCount struct {
	Code  fault.Code `json:"code"`
	Count int        `json:"count"`
}

type loopState struct {
	Name    string `json:"name"`
	Live    int    `json:"live"`
	Lag     span   `json:"lag"` // see loop.lag
	Problem string `json:"problem,omitempty"`
}

const (
	maxStatusCodes = 6
	maxStatusLoops = 8
)

func (h *Handler) status() statusView {
	live, others := h.book.running()
	v := statusView{Live: len(live) + others, Unlisted: others, Failed: h.book.codes(), Loops: []loopState{}}
	for _, r := range live {
		r.mu.Lock()
		standing := r.steps.standing
		r.mu.Unlock()
		for i, n := range []*int{&v.Running, &v.Suspended, &v.Queued} {
			if standing[i] > 0 {
				*n++
			}
		}
	}
	_, loops := h.shown()
	for _, l := range loops[:min(len(loops), maxStatusLoops)] {
		v.Loops = append(v.Loops, l.state())
	}
	v.MoreLoops = len(loops) - len(v.Loops)
	return v
}

func (l *loop) state() loopState {
	s := loopState{Name: l.name, Live: l.Host().Live()}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Problem, s.Lag = l.problem, span(l.lag())
	return s
}

// lag returns how long the pending callback has waited, or, if none waits, the lag of the last sample. The caller has the
// lock of the loop.
func (l *loop) lag() (lag time.Duration) {
	if n := len(l.history.items); n > 0 {
		lag = l.history.last().lag
	}
	if p := l.pending; p != nil && !p.ran {
		lag = max(0, l.Host().Now()-p.since)
	}
	return lag
}

func (b *book) codes() []codeCount {
	b.mu.Lock()
	failed := slices.Clone(b.ended.failed)
	b.mu.Unlock()
	counts := make(map[fault.Code]int)
	for _, r := range failed {
		r.mu.Lock()
		counts[r.end.code]++
		r.mu.Unlock()
	}
	all := make([]codeCount, 0, len(counts))
	for code, n := range counts {
		all = append(all, codeCount{code, n})
	}
	slices.SortFunc(all, func(a, b codeCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code))
	})
	return all[:min(len(all), maxStatusCodes)]
}
