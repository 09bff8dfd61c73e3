package frame

// Fiber is one flow of a run: the main one or a branch. The steps of a
// fiber follow each other; fibers of a run interleave on its loop.
//
// Fibers are embedded in the run and in the ops that fork. The loop's
// goroutine owns every field.
type Fiber struct {
	run    *Run
	top    *Frame // innermost level; nil when ended
	parent *Fiber // that forked it; nil for the main fiber
	fork   *Fork  // it is a branch of
	index  int32  // number of the branch, for paths

	mode   mode
	course course // when it was queued
	in     *ready // that it is queued in; nil if in none
	posted bool   // is in the run's inbox; Run.mu guards it and after
	resume bool   // the current step is to be resumed, not begun
	won    bool   // dropping, although its steps have succeeded: only its fork has to learn that
	frozen bool   // it must run no steps, because a fiber below is being cancelled and will drop it in turn

	after *Fiber   // link in the inbox
	links [2]links // its neighbours in the lists, by order

	err    error   // raising, dropping: why; at stop it is raised
	signal *Signal // raising, dropping: err is errLeft, because of this; nil if err is an error
	stop   *Frame  // dropping: where it ends
	target *Frame  // raising a signal: the step of the loop, of this fiber or of one it descends from
	trace  *trace  // what the error met so far; nil until the first error

	claims *Claims // its relations to guards; nil until the first
}

// Claims is where package guard keeps what a fiber has to do with guards. A fiber
// keeps it for as long as its memory lives.
type Claims struct{ Of any }

// Claims is what SetClaims has set, nil before.
func (s *Fiber) Claims() *Claims { return s.claims }

// SetClaims sets the claims of s.
func (s *Fiber) SetClaims(c *Claims) { s.claims = c }

// Run is the run that s is a flow of.
func (s *Fiber) Run() *Run { return s.run }

// Stops is the fiber that has forked s, if that can't go on unless s does; otherwise
// nil. The fork of a race may be decided by other branches than s.
func (s *Fiber) Stops() *Fiber {
	if s.fork != nil && s.fork.races() {
		return nil
	}
	return s.parent
}

// Index sets the number that paths show for the branch.
func (s *Fiber) Index(i int) { s.index = int32(i) }

// ready is a queue of fibers that can go on, oldest first.
type ready struct {
	fibers
	transit *[courses]fibers // fibers in transit, by their course; nil until there was one
}

// inTransit is the oldest fiber on course c.
func (q *ready) inTransit(c course) *Fiber {
	if q.transit == nil {
		return nil
	}
	return q.transit[c].head
}

// moving returns the list of the fibers on course c, and makes it when first needed.
func (q *ready) moving(c course) *fibers {
	if q.transit == nil {
		q.transit = new([courses]fibers)
	}
	return &q.transit[c]
}

// inbox holds the fibers that goroutines have posted and the loop hasn't
// looked at, oldest first, each once. Run.mu guards it. A fiber is taken out
// before the memory it is embedded in serves another run: the loop looks into
// the inbox between ending a fiber and anything that follows from that.
type inbox struct{ head, tail *Fiber }

func (q *inbox) push(s *Fiber) {
	switch {
	case s.posted:
		return
	case q.head == nil:
		q.head = s
	default:
		q.tail.after = s
	}
	q.tail = s
	s.posted = true
}

// pop takes the oldest fiber out; nil if there is none.
func (q *inbox) pop() *Fiber {
	s := q.head
	if s == nil {
		return nil
	}
	if q.head = s.after; q.head == nil {
		q.tail = nil
	}
	s.after, s.posted = nil, false
	return s
}

// push puts s at the end, unless it is in a queue already.
func (q *ready) push(s *Fiber) {
	if s.in != nil {
		return
	}
	s.in, s.course = q, s.courseNow()
	if s.course != onward {
		q.moving(s.course).push(onCourse, s)
	}
	q.fibers.push(inQueue, s)
}

// unshift puts s at the head, unless it is in a queue already.
func (q *ready) unshift(s *Fiber) {
	if s.in != nil {
		return
	}
	s.in, s.course = q, s.courseNow()
	if s.course != onward {
		q.moving(s.course).unshift(onCourse, s)
	}
	q.fibers.unshift(inQueue, s)
}

// unqueue takes s out of the queue that it is in, if any.
func (s *Fiber) unqueue() {
	q := s.in
	if q == nil {
		return
	}
	q.remove(inQueue, s)
	s.in = nil
	if s.course != onward {
		q.moving(s.course).remove(onCourse, s)
	}
}

// take removes and returns the fiber that goes next; pick, if not nil, chooses among several.
func (q *ready) take(pick func(n int) int) *Fiber {
	s := q.head
	if s == nil {
		return nil
	}
	if pick != nil && q.head != q.tail {
		for i := pick(q.len()); i > 0 && s.links[inQueue].next != nil; i-- {
			s = s.links[inQueue].next
		}
	}
	s.unqueue()
	return s
}

// len counts the fibers, for pick: tests draw schedules with it.
func (q *ready) len() (n int) {
	for s := q.head; s != nil; s = s.links[inQueue].next {
		n++
	}
	return n
}
