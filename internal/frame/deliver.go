package frame

// deliver handles what was posted since the last call.
func (r *Run) deliver() {
	r.mu.Lock()
	r.withdraw()
	r.signal.Store(idle)
	p := r.posting()
	s := p.inbox.pop()
	more := p.inbox.head != nil
	halt := p.request
	var evicted *Lease
	if r.due != nil {
		evicted, r.due.evicted = r.due.evicted, nil
	}
	r.mu.Unlock()

	if evicted != nil {
		r.receiveEvictions(evicted) // first: a Watch may end the goroutine
	}
	for s != nil {
		r.receive(s)
		if !more {
			break
		}
		r.mu.Lock()
		s = p.inbox.pop()
		r.mu.Unlock()
	}
	if halt != nil && !r.cancelDelivered {
		r.requestCancel(halt)
	}
}

// receive lets s go on if it can.
func (r *Run) receive(s *Fiber) {
	switch {
	case s.mode == ended || s.frozen || s.top == nil || s.top.wait == nil:
	case s.mode != running:
		if s.top.wait.joined() {
			r.ready.push(s)
		}
	case s.top.wait.done():
		s.wake()
		r.queue(s)
		r.emit(Resumed, s.top, nil)
	}
}

// withdraw takes the turn that a post has queued out of the loop's queue, if it is there
// still: the turn that runs handles the posts. mu is held.
func (r *Run) withdraw() {
	if p := r.posts; p != nil && p.item.Queued() {
		r.loop.Withdraw(&p.item)
	}
}
