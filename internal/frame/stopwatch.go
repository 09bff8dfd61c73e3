package frame

import "time"

// Stopwatch measures how long a section takes. The measuring begins when the timer of a limit would be armed, see limit.go: at
// the end of the turn of the run in which Start is called, or earlier if the turn is long or somebody asks for the loop. If the
// section is over by then, the clock isn't read. On loops of other packages, and in a run that was begun by Wake, the measuring
// begins at once. A Stopwatch belongs to the goroutine of the loop.
//
//	idle ──Start──▶ young ──limits are armed──▶ begun ──the turn ends──▶ lasting
//	any of these ──Stop──▶ idle
type Stopwatch struct {
	// entry is linked with the young limits, as a limit of 0, until the turn ends. Its field ends holds when the
	// measuring began, or never if it hasn't; its field alarm tells that the turn has ended.
	entry resources
}

// Start starts w, which is idle, for a section in r.
func (w *Stopwatch) Start(r *Run) {
	w.entry.ends, w.entry.alarm = never, false
	r.postpone(&w.entry)
	if r.eager {
		r.needLoop() // reads the clock
	}
}

func (g *resources) begin(r *Run) {
	if g.ends == never {
		g.ends = r.host.Now()
	}
}

// outlast is called at the end of a turn. It marks the stopwatches that still run: their sections have lasted beyond a turn.
// The limits are armed already, so r.young has only stopwatches.
func (r *Run) outlast() {
	for g := r.young; g != nil; g = r.young {
		g.alarm = true
		r.forgo(g)
	}
}

// Lasted reports whether a turn of the run has ended between Start and Stop: the section has waited, or let others go first.
func (w *Stopwatch) Lasted() bool { return w.entry.alarm }

// Stop ends the measuring. It doesn't read the clock.
func (w *Stopwatch) Stop(r *Run) {
	if w.entry.isYoung {
		r.forgo(&w.entry)
	}
}

// Since returns the time since the measuring began, also after Stop. It returns 0 if the measuring hadn't begun before Stop.
func (w *Stopwatch) Since(r *Run) time.Duration {
	if w.entry.ends == never {
		return 0
	}
	return r.Host().Now() - w.entry.ends
}
