package frame

import "time"

// budget measures what a run may do in one turn before it lets others on its loop work (O4):
// so many steps, or so much time from the end of the first step on. Reading the clock costs
// more than a step, so it is read after 1, 2, 4, 8 … further steps: if all steps take the same
// time, a run takes at most twice its share. A turn of one step doesn't read it at all, nor
// does the end of a fiber after its last step.
type budget struct {
	steps   int32         // that may still be taken in this turn
	chunk   int32         // how many were granted last
	time    time.Duration // 0: no bound, there is nobody to be fair to
	started time.Duration // once the clock has been read
	timed   bool          // it has
}

// alone is how many steps a run without a loop takes before it checks whether it was
// cancelled: no other runs wait for it.
const alone = 1000

// some is how many of these steps it takes before it first checks whether limits have to be
// armed.
const some = 64

// unbound is more steps than a turn can take. Twice as many still fit into an int32.
const unbound = 1 << 29

// newBudget is that of a turn which begins.
func (r *Run) newBudget() budget {
	if r.tool == nil || r.spare != nil { // it has no loop, or one for itself
		return budget{steps: alone}
	}
	turn := r.tool.Host().Turn()
	return budget{steps: int32(min(turn.Steps, unbound)), time: turn.Time}
}

// first grants r the first chunk of the turn.
func (p *budget) first(r *Run) {
	if p.time <= 0 {
		p.grant(r, some)
		return
	}
	p.grant(r, 1)
}

func (p *budget) grant(r *Run, n int32) {
	p.chunk = min(n, p.steps)
	p.steps -= p.chunk
	r.left, r.roomy = p.chunk, p.steps > 0
}

// more grants the run another chunk, unless its share is used up.
func (p *budget) more(r *Run) bool {
	if p.steps <= 0 {
		return false
	}
	if r.young != nil {
		r.Tool() // arms them: what has been worked since counts already
	}
	if p.time > 0 {
		now := r.tool.Host().Now()
		switch {
		case !p.timed:
			p.started, p.timed = now, true
		case now-p.started >= p.time:
			return false
		}
	}
	p.grant(r, 2*p.chunk)
	return true
}
