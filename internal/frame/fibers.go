package frame

// order is one of the two lists that a fiber may be in at once.
type order int

const (
	inQueue  order = iota // all that can go on
	onCourse              // those of them that are on the same course
)

// links are the neighbours of a fiber in a list; nil at its ends.
type links struct{ prev, next *Fiber }

// fibers is a list of fibers, oldest first. All calls for one list must use the same order.
type fibers struct{ head, tail *Fiber }

// push puts s at the end.
func (l *fibers) push(by order, s *Fiber) {
	s.links[by].prev = l.tail
	if l.tail == nil {
		l.head = s
	} else {
		l.tail.links[by].next = s
	}
	l.tail = s
}

// unshift puts s at the head.
func (l *fibers) unshift(by order, s *Fiber) {
	s.links[by].next = l.head
	if l.head == nil {
		l.tail = s
	} else {
		l.head.links[by].prev = s
	}
	l.head = s
}

// remove takes s out of l. s must be in l.
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
