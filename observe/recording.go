package observe

import (
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// recording is a Recording that still grows. Its fields are changed while the Recorder's lock is held, except paths, which only
// the Watch of the run uses.
type recording struct {
	Recording
	begun bool
	paths paths
	host  *tool.Host    // host of the run's loop, nil until it is known
	began time.Duration // when the run was started, by the loop's clock
}

// align corrects the start of g relative to the other runs of its loop, because the clock of the loop may be virtual. Runs of
// different loops are compared by the time of day.
func (r *Recorder) align(g *recording, host *tool.Host, began time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	g.host, g.began = host, began
	if other := r.clocks[host]; other != nil {
		g.Run.Started = other.Run.Started.Add(began - other.began)
	}
	r.clocks[host] = g
}

func (r *Recorder) add(g *recording, entry Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !g.begun {
		g.begun = true
		r.runs = append(r.runs, g)
	}
	for r.events >= r.limit && r.forget() {
	}
	end := entry.Kind == RunEnd
	if end {
		r.ended++
	}
	if r.events >= r.limit && !end {
		g.Lost++
		return
	}
	r.order++
	entry.Order = r.order
	g.Entries = append(g.Entries, entry)
	r.events++
}

// forget drops the oldest run that has ended; it reports false if there is none.
func (r *Recorder) forget() bool {
	if r.ended == 0 {
		return false
	}
	i := slices.IndexFunc(r.runs, (*recording).over)
	g := r.runs[i]
	r.runs = slices.Delete(r.runs, i, i+1)
	r.events -= len(g.Entries)
	r.ended--
	if r.clocks[g.host] == g {
		r.forgetClock(g.host)
	}
	return true
}

// forgetClock is called when the run in r.clocks[of] is dropped. It puts another run of that loop in its place, if one is kept.
func (r *Recorder) forgetClock(of *tool.Host) {
	if i := slices.IndexFunc(r.runs, func(g *recording) bool { return g.host == of }); i >= 0 {
		r.clocks[of] = r.runs[i]
		return
	}
	delete(r.clocks, of)
}

func (g *recording) over() bool {
	n := len(g.Entries)
	return n > 0 && g.Entries[n-1].Kind == RunEnd
}

func (r *Recorder) kept(g *recording) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(g.Entries)
}
