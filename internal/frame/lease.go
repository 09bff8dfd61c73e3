package frame

import "sync"

// Lease allows a guard to evict the section of a ticket that is inside: then the section fails, unless it ends first. A lease
// lasts from Begin until End. The memory of the lease stays with the ticket and serves its next lease too, so a [LeaseRef] also
// has a number.
//
//	idle ────Begin─────▶ live ──Evict──▶ lost
//	  ▲                   │ End           │ End
//	  └───────────────────┴───────────────┘
type Lease struct {
	mu    sync.Mutex // taken before Run.mu
	gen   uint64     // counts the leases of this memory
	frame *Frame     // the frame whose current step is the section; nil while idle
	run   *Run
	err   error // why the lease is lost; nil until then

	due  *due   // the due of run
	next *Lease // link of the list due.evicted; Run.mu guards it
}

// LeaseRef names one lease. The zero LeaseRef names none.
type LeaseRef struct {
	lease *Lease
	gen   uint64
}

// Begin begins the lease of the current step of f, on the loop.
func (l *Lease) Begin(f *Frame) LeaseRef {
	r := f.Run()
	r.needLoop() // Evict needs the loop
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gen++
	l.frame, l.run, l.due, l.err = f, r, r.putOff(), nil
	return LeaseRef{l, l.gen}
}

// End ends the lease, on the loop.
func (l *Lease) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		l.run.reprieve(l)
	}
	l.frame, l.run, l.due, l.err = nil, nil, nil, nil
}

// Live reports whether the lease lasts and the section hasn't been evicted. Any goroutine may call it.
func (h LeaseRef) Live() bool {
	l := h.lease
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.live(h.gen)
}

func (l *Lease) live(gen uint64) bool { return l.gen == gen && l.frame != nil && l.err == nil }

// Evict asks the loop of the section to fail it with err. It reports false if the section was left or evicted before, and
// for the zero LeaseRef. Any goroutine may call it.
func (h LeaseRef) Evict(err error) bool {
	l := h.lease
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.live(h.gen) {
		return false
	}
	l.err = err
	r := l.run
	r.mu.Lock()
	l.next, l.due.evicted = l.due.evicted, l
	r.notify()
	r.mu.Unlock()
	return true
}

// reprieve removes the eviction of l, whose section has been left, unless the run has received the eviction.
func (r *Run) reprieve(l *Lease) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for at := &l.due.evicted; *at != nil; at = &(*at).next {
		if *at == l {
			*at, l.next = l.next, nil
			return
		}
	}
}

// receiveEvictions puts off evictions until nothing is in transit (O7). l is the latest eviction, and leads to the others. They
// are raised in the order in which they came.
func (r *Run) receiveEvictions(l *Lease) {
	var first *Lease
	for l != nil {
		l.next, first, l = first, l, l.next
	}
	for first != nil {
		l, first = first, first.next
		l.next = nil
		g := l.frame.equip()                       // of a section: its step has no limit while the lease is live
		g.limit, g.alarm, g.ends = 1, false, never // as for a timer that has fired; it was no deadline (C8)
		g.extra().eviction = l.err
		r.putOff().add(g)
	}
}
