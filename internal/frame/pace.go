package frame

import "time"

// pace measures a run's share of one turn (O4). Reading the clock costs more
// than a step, so it is read once per chunk of steps.
type pace struct {
	steps   int           // that may still be taken in this turn
	started time.Duration // once the clock has been read
	timed   bool          // it has
}

const chunk = 10

// first is the first chunk of the turn.
func (p *pace) first() int {
	n := min(chunk, p.steps)
	p.steps -= n
	return n
}

// more grants the run another chunk, unless its share is used up.
func (p *pace) more(r *Run) bool {
	if p.steps <= 0 {
		return false
	}
	if r.tool != nil && r.turn.Time > 0 {
		now := r.tool.Host().Now()
		if !p.timed {
			p.started, p.timed = now, true
		} else if now-p.started > r.turn.Time {
			return false
		}
	}
	r.left = p.first()
	return true
}
