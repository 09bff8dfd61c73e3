package queue

// Starts holds items that begin something new, oldest first, while their loop has enough to do without them. So what has
// begun goes on soon, however many runs are started by goroutines other than the loop's. Only the goroutine that owns the
// loop uses it. The zero Starts is empty, and holds nothing back until Limit has been called.
type Starts struct {
	first, last *Item
	most        int // how many items a ring may hold for the next start to join them; 0: any number
}

// starting is the value of Item.at while the item is in an [Inbox] or in a Starts, after [Inbox.PushStart].
const starting = posted - 1

// Limit makes a start wait while the ring holds n items or more. Below 1 no start waits.
func (s *Starts) Limit(n int) { s.most = n }

// Empty reports whether no start waits.
func (s *Starts) Empty() bool { return s.first == nil }

// take puts x, which has arrived last, into r if there is room, otherwise behind all starts that wait.
func (s *Starts) take(x *Item, r *Ring) {
	switch {
	case s.first == nil && (s.most < 1 || r.length() < s.most):
		r.Push(x)
		return
	case s.first == nil:
		s.first = x
	default:
		s.last.next = x
	}
	s.last = x
}

// Admit moves the oldest starts to the end of r, until r holds as many items as Limit says. It moves a quarter of that
// number at least, and one at least, so that those which wait aren't kept waiting for ever.
func (s *Starts) Admit(r *Ring) {
	for n := max(s.most-r.length(), s.most/4, 1); n > 0 && s.first != nil; n-- {
		x := s.first
		s.first, x.next = x.next, nil
		r.Push(x)
	}
}

// Remove takes out x. It reports false if x isn't among those that wait. If it is, Remove looks at all before it. The owner
// has called [Inbox.Take] before.
func (s *Starts) Remove(x *Item) bool {
	if x.at != starting {
		return false
	}
	var before *Item
	for y := s.first; y != x; y = y.next {
		before = y
	}
	if before == nil {
		s.first = x.next
	} else {
		before.next = x.next
	}
	if s.last == x {
		s.last = before
	}
	x.at, x.next = 0, nil
	return true
}
