package queue

// Starts holds items that begin something new, oldest first, until the ring of their loop is short enough. So runs that
// have begun go on soon, however many new ones other goroutines start. Only the goroutine that owns the loop uses it. The
// zero Starts is empty, and holds every start back until Limit has been called.
type Starts struct {
	first, last *Item
	most        int // a start waits while the ring holds this many items or more
}

// starting is the value of Item.at from [Item.Starts] until the item leaves the [Inbox] and the Starts.
const starting = posted - 1

// Starts marks x as an item that begins something new, so that [Inbox.Take] may put it into [Starts]. Call it before
// pushing x to an [Inbox]; x must not be queued.
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

// Admit moves the oldest starts to the end of r, until r holds as many items as [Starts.Limit] has set. If r is longer, it
// still moves a quarter of that number and at least one, if so many wait, so that no start waits for ever.
func (s *Starts) Admit(r *Ring) {
	for n := max(s.most-r.length(), s.most/4, 1); n > 0 && s.first != nil; n-- {
		x := s.first
		s.first, x.next = x.next, nil
		r.Push(x)
	}
}

// Remove takes out x, and reports false if x isn't among the starts that wait. It takes time in proportion to the number of
// starts before x. Call [Inbox.Take] first, so that x isn't in the inbox.
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
