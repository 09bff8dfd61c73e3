package queue

// Starts holds items that begin something new, oldest first, while their loop has enough to do without them. So what has
// begun goes on soon, however many runs are started by goroutines other than the loop's. Only the goroutine that owns the
// loop uses it. The zero Starts is empty, and holds every start back until Limit has been called.
type Starts struct {
	first, last *Item
	most        int // a start joins a ring that holds fewer items
}

// starting is the value of Item.at from [Item.Starts] until the item leaves the [Inbox] and the Starts.
const starting = posted - 1

// Starts marks x, which isn't queued and is about to be pushed to an [Inbox], as one that begins something new: [Inbox.Take]
// may put it into [Starts].
func (x *Item) Starts() { x.at = starting }

// Limit makes a start wait while the ring holds n items or more, or other starts wait.
func (s *Starts) Limit(n int) { s.most = n }

// Empty reports whether no start waits.
func (s *Starts) Empty() bool { return s.first == nil }

// waits reports whether a start that arrives now has to wait: r is long, or others wait already.
func (s *Starts) waits(r *Ring) bool { return s.first != nil || r.length() >= s.most }

// add puts x behind all starts that wait.
func (s *Starts) add(x *Item) {
	if s.first == nil {
		s.first = x
	} else {
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

// Remove takes out x, and reports false if x isn't among those that wait. Its time grows with the number of starts before
// x. Call [Inbox.Take] first, so that x isn't in the inbox.
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
