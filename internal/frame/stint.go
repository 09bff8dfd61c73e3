package frame

// A fiber goes on until it waits, has ended, or has taken a stint of steps: then it goes to the end of the queue of its
// run. Which fiber goes next depends on such counts alone. Where the turns of the run end depends on the clock too, so
// it makes no difference (O4): a fiber goes on in the next turn with what was left of its stint.
//
// A fiber in transit goes on beyond its stint, until it is about to begin a step.

// stint is how many steps a fiber takes in a row. Like those of a turn, ends of levels are counted.
const stint = 100

// grant lets the fiber that executes take n more steps before the run looks at its share of the loop, but no more than are
// left of its stint. It returns how many.
func (r *Run) grant(n int32) int32 {
	rest := r.left + r.stint
	if n >= rest {
		n, r.roomy = max(rest, 1), false // the end of a level is counted for the next stint
	}
	r.left, r.stint = n, rest-n
	return n
}

// endStint has the fiber that executes go to the end of the queue, because its stint is over, and begins another one.
func (r *Run) endStint() {
	if s := r.next; s != nil && r.ready.head != nil {
		switch {
		case s.courseNow() != onward:
			return
		case !s.keepsPlace():
			r.next = nil
			r.ready.push(s)
		}
	}
	r.stint = stint - r.left
}

// keepsPlace reports whether s, which is about to begin a step, goes before the others that can go on. What others
// post meanwhile comes after what was in transit, and what a lane has taken begins before what others take after it (P1).
func (s *Fiber) keepsPlace() bool { return s.hasTaken() || s.run.arrives(s) }

// chooses reports whether the loop chooses which fiber goes next: then it does so whenever the run yields.
func (r *Run) chooses() bool { return r.host != nil && r.host.Turn().Pick != nil }

// stepBack has the fiber that executes go back into the queue, unless it is in transit.
func (r *Run) stepBack() {
	switch s := r.next; {
	case s == nil || r.single(s):
	case s.keepsPlace():
		r.setAside()
	case s.courseNow() == onward:
		r.next = nil
		r.ready.push(s)
	}
}
