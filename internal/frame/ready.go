package frame

// order is one of the two lists that a fiber may be in at once.
type order int

const (
	inQueue  order = iota // all fibers in the queue
	onCourse              // all fibers in the queue that are on one course
)

type links struct{ prev, next *Fiber }

// fibers is a list of fibers. All calls for one list must use the same order.
type fibers struct{ head, tail *Fiber }

func (l *fibers) push(by order, s *Fiber) {
	s.links[by].prev = l.tail
	if l.tail == nil {
		l.head = s
	} else {
		l.tail.links[by].next = s
	}
	l.tail = s
}

func (l *fibers) unshift(by order, s *Fiber) {
	s.links[by].next = l.head
	if l.head == nil {
		l.tail = s
	} else {
		l.head.links[by].prev = s
	}
	l.head = s
}

// remove removes s, which must be in l.
func (l *fibers) remove(by order, s *Fiber) {
	at := s.links[by]
	if at.prev == nil {
		l.head = at.next
	} else {
		at.prev.links[by].next = at.next
	}
	if at.next == nil {
		l.tail = at.prev
	} else {
		at.next.links[by].prev = at.prev
	}
	s.links[by] = links{}
}

type whichQueue uint8

const (
	inNone  whichQueue = iota
	inReady            // Run.ready
	inDue              // due.branches
)

// ready is a queue of fibers: those that can go on or, in due, branches whose end is put off.
type ready struct {
	fibers
	transit *[courses]fibers // fibers on any course but onward, by their course; nil until there was one
}

// inTransit returns the first fiber of the queue that is on course c; nil if there is none.
func (q *ready) inTransit(c course) *Fiber {
	if q.transit == nil {
		return nil
	}
	return q.transit[c].head
}

func (q *ready) moving(c course) *fibers {
	if q.transit == nil {
		q.transit = new([courses]fibers)
	}
	return &q.transit[c]
}

func (q *ready) enter(s *Fiber) {
	s.in, s.course = inDue, s.courseNow()
	if q == &s.run.ready {
		s.in = inReady
	}
}

// push puts s at the end, unless it is in a queue already.
func (q *ready) push(s *Fiber) {
	if s.in != inNone {
		return
	}
	q.enter(s)
	if s.course != onward {
		q.moving(s.course).push(onCourse, s)
	}
	q.fibers.push(inQueue, s)
}

func (q *ready) unshift(s *Fiber) {
	if s.in != inNone {
		return
	}
	q.enter(s)
	if s.course != onward {
		q.moving(s.course).unshift(onCourse, s)
	}
	q.fibers.unshift(inQueue, s)
}

func (s *Fiber) unqueue() {
	var q *ready
	switch s.in {
	case inReady:
		q = &s.run.ready
	case inDue:
		q = &s.run.due.branches
	default:
		return
	}
	q.remove(inQueue, s)
	s.in, s.leavesNext = inNone, false
	if s.course != onward {
		q.moving(s.course).remove(onCourse, s)
	}
}

// take removes and returns the fiber that goes next, nil if there is none. If there are several and pick isn't nil,
// pick chooses.
func (q *ready) take(pick func(n int) int) *Fiber {
	s := q.head
	if s == nil {
		return nil
	}
	for s.leavesNext && q.holdsBack(s) {
		s.heldBack++
		q.remove(inQueue, s)
		q.fibers.push(inQueue, s)
		s = q.head
	}
	if pick != nil && q.head != q.tail {
		s = q.pick(pick)
	}
	leavesNext := s.leavesNext
	s.unqueue()
	s.leavesNext = leavesNext
	return s
}

// pick returns one of the fibers that can go. If there are several, the function pick is given their number and returns an
// index. Tests draw schedules with it.
func (q *ready) pick(pick func(n int) int) *Fiber {
	n := 0
	for s := q.head; s != nil; s = s.links[inQueue].next {
		if !q.holdsBack(s) {
			n++
		}
	}
	i := 0
	if n > 1 {
		i = pick(n)
	}
	for s := q.head; s != nil; s = s.links[inQueue].next {
		if q.holdsBack(s) {
			continue
		}
		if i <= 0 {
			return s
		}
		i--
	}
	return q.head
}

// withheld bounds how often holdsBack makes a fiber wait, because a fiber that descends from it may go on for ever: for example
// an undo that is tried again without a pause.
const withheld = 100

// holdsBack reports whether s, if it is to leave its next branch, has to wait because a fiber that descends from it
// can go on.
func (q *ready) holdsBack(s *Fiber) bool {
	if !s.leavesNext || s.heldBack == withheld {
		return false
	}
	for t := q.head; t != nil; t = t.links[inQueue].next {
		for p := t.parent(); p != nil; p = p.parent() {
			if p == s {
				return true
			}
		}
	}
	return false
}
