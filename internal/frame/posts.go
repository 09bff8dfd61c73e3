package frame

import (
	"github.com/futoin-go/asyncsteps/internal/queue"
	"github.com/futoin-go/asyncsteps/internal/usercode"
)

// posts holds completions and a cancel that a turn of the run has to look at. Run.mu guards
// it, but see Run.asked.
type posts struct {
	inbox   inbox          // fibers to look at, posted from anywhere
	request *cancelRequest // a requested cancel
	late    *cancelRequest // a cancel that was requested while the run was closing
	item    queue.Item     // the turn that notify has queued for the posts
}

// posting returns r.posts and makes it on first use; mu is held.
func (r *Run) posting() *posts {
	if r.posts == nil {
		r.posts = new(posts)
		r.posts.item.Init(r)
	}
	return r.posts
}

// inbox holds the fibers that goroutines have posted and the loop hasn't looked at, oldest first, each once. Run.mu guards it.
// A fiber is taken out before its memory serves another run: unwind has the posts delivered once it has stopped the work of a
// step, and the end of the run drops the fibers that are left.
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

// post tells the loop that s may be able to go on. Any goroutine may call it; the caller holds
// the lock of the wait that keeps s alive.
func (r *Run) post(s *Fiber) {
	r.mu.Lock()
	r.posting().inbox.push(s)
	r.notify()
	r.mu.Unlock()
}

// completeHere lets s go on after its wait has been completed on the loop. done is true if the body of the step has
// returned.
func (r *Run) completeHere(s *Fiber, done bool) {
	if !done || r.inTurn || r.watched || r.alert.Load() != idle {
		r.postHere(s)
		return
	}
	if s.frozen || s.mode != running {
		return // the code that leaves the step will handle it
	}
	s.wake() // as deliver would: there are no older posts
	if r.next == nil && r.single(s) {
		r.next = s
	} else {
		r.ready.push(s)
	}
	if r.here.Queued() {
		return
	}
	if err := r.loop.PostHere(&r.here); err != nil {
		r.lost(err)
	}
}

// postHere is post on the loop: if a turn of the run is in progress, no other turn has to be
// queued.
func (r *Run) postHere(s *Fiber) {
	r.mu.Lock()
	r.posting().inbox.push(s)
	now := r.alert.Load()
	if !r.inTurn || now != idle && now != holding || !r.alert.CompareAndSwap(now, dirty) {
		r.notifyAfter(now)
	}
	r.mu.Unlock()
}

// queue puts s, which can go on, into r.next if s is single and r.next is free, otherwise into the queue.
func (r *Run) queue(s *Fiber) {
	if r.next == nil && r.single(s) {
		r.next = s
	} else {
		r.ready.push(s)
	}
}

// single reports whether s is the main fiber, executes steps, and nothing is in the queue: then s needs no place in the queue.
func (r *Run) single(s *Fiber) bool {
	return s == &r.main && s.mode == running && r.ready.head == nil
}

// notify makes a turn look at the post that was just stored under r.mu. It reports false if the run
// is sealed: then no turn will look.
func (r *Run) notify() bool { return r.notifyAfter(r.alert.Load()) }

// notifyAfter is notify for a caller that has loaded the alert already.
func (r *Run) notifyAfter(seen uint32) bool {
	for {
		switch seen {
		case idle, holding:
			if r.alert.CompareAndSwap(seen, queued) {
				r.enqueue()
				return true
			}
		case first:
			if r.alert.CompareAndSwap(first, dirty) {
				return true
			}
		default:
			return seen != sealed
		}
		seen = r.alert.Load()
	}
}

// enqueue queues a turn that handles posts. The caller has moved the alert to queued and
// holds mu.
func (r *Run) enqueue() {
	if r.tool == nil { // without a loop the caller of Turn looks again
		return
	}
	if err := r.loop.Post(&r.posting().item); err != nil {
		r.lost(err)
	}
}

// GoOn queues a turn of r, unless Run.here is queued or a turn runs. Another run calls it on the loop, after it has let a fiber
// of r go on.
func (r *Run) GoOn() {
	if !r.inTurn && !r.here.Queued() {
		r.enqueueHere()
	}
}

// enqueueHere queues a turn. It is called on the loop.
func (r *Run) enqueueHere() {
	if err := r.loop.PostHere(&r.here); err != nil {
		r.lost(err)
	}
}

// lost reports that the loop refuses a turn of the run: the loop has ended, so the run can't go on.
func (r *Run) lost(err error) {
	host := r.host
	usercode.Elsewhere(func() { host.Report(err) }) // because r.mu and other locks may be held
}

// deliver handles the posts since the last call.
func (r *Run) deliver() {
	r.mu.Lock()
	r.withdraw()
	r.alert.Store(idle)
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
		r.receiveEvictions(evicted) // before the rest: a Watch may end the goroutine
	}
	failed := false
	for s != nil {
		failed = r.receive(s) || failed
		if !more {
			break
		}
		r.mu.Lock()
		s = p.inbox.pop()
		r.mu.Unlock()
	}
	if failed && halt == nil && r.bound {
		halt = r.untold()
	}
	if halt != nil && !r.cancelDelivered {
		r.requestCancel(halt)
	}
}

// receive lets s go on if it can. It reports whether the wait of s was completed with an error.
func (r *Run) receive(s *Fiber) (failed bool) {
	switch {
	case s.mode == ended || s.frozen || s.top == nil || s.top.wait == nil:
	case s.mode != running:
		if s.top.wait.joined() {
			r.ready.push(s)
		}
	case s.top.wait.done():
		failed = s.top.wait.err != nil
		s.wake()
		r.queue(s)
		r.publish(Resumed, s.top, nil)
	}
	return failed
}

// withdraw takes the turn that a post has queued out of the loop's queue, if it is still there: the turn that runs handles the
// posts. mu is held.
func (r *Run) withdraw() {
	if p := r.posts; p != nil && p.item.Queued() {
		r.loop.Withdraw(&p.item)
	}
}
