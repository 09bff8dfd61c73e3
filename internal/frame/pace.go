package frame

import "time"

// share is what a run may do before it lets others on its loop work.
type share struct {
	steps int
	time  time.Duration // 0: no bound, there is nobody to be fair to
}

// pace measures a run's share of one turn (O4): so many steps, or so much time
// from the end of the first step on. Reading the clock costs more than a step,
// so it is read after 1, 2, 4, 8 … steps: the share is exceeded by as much
// again at the most, and a turn of one step doesn't read it at all.
type pace struct {
	steps   int           // that may still be taken in this turn
	chunk   int           // how many were granted last
	started time.Duration // once the clock has been read
	timed   bool          // it has
}

// first is the first chunk of the turn.
func (p *pace) first(r *Run) int {
	if r.share.time <= 0 {
		return p.grant(p.steps)
	}
	return p.grant(1)
}

func (p *pace) grant(n int) int {
	p.chunk = min(n, p.steps)
	p.steps -= p.chunk
	return p.chunk
}

// more grants the run another chunk, unless its share is used up.
func (p *pace) more(r *Run) bool {
	if p.steps <= 0 {
		return false
	}
	if r.share.time > 0 {
		now := r.tool.Host().Now()
		switch {
		case !p.timed:
			p.started, p.timed = now, true
		case now-p.started >= r.share.time:
			return false
		}
	}
	r.left = p.grant(2 * p.chunk)
	return true
}
