package tool

import "sync"

// drain counts the registrations of one host that drains, or of the hosts of a [Group] that drain together: a run on one
// of these may ask for a load on another, which has to stay until nobody can ask any more.
type drain struct {
	mu   sync.Mutex
	live int        // registrations of the hosts that drain, and one more until newDrain's caller has added all hosts
	ends []*vacancy // one for each of these hosts
}

// vacancy is the end of the registrations of one host.
type vacancy struct {
	once sync.Once
	done chan struct{} // closed by declare
}

// newDrain returns a drain to which its maker adds hosts, and calls leave then.
func newDrain() *drain { return &drain{live: 1} }

// add counts the registrations of a host that begins to drain. It returns the vacancy that is declared when no
// registration of any host is left.
func (d *drain) add(live int) *vacancy {
	v := &vacancy{done: make(chan struct{})}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.live += live
	d.ends = append(d.ends, v)
	return v
}

// enter counts one more registration, unless none is left.
func (d *drain) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.live == 0 {
		return false
	}
	d.live++
	return true
}

// leave counts one less.
func (d *drain) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.live--; d.live > 0 {
		return
	}
	for _, v := range d.ends {
		v.declare()
	}
}

// declare closes done, once.
func (v *vacancy) declare() { v.once.Do(func() { close(v.done) }) }

// declared reports whether declare was called.
func (v *vacancy) declared() bool {
	select {
	case <-v.done:
		return true
	default:
		return false
	}
}
