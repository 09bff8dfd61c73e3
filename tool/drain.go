package tool

import "sync"

// drain counts the registrations of a host that drains, or of the hosts of a [Group] that drain together. A run
// on one of these hosts may ask for a load on another, so each host has to stay until none of them has a run.
type drain struct {
	mu   sync.Mutex
	live int        // registrations of the hosts that drain, and one more until all hosts were added
	ends []*vacancy // one for each of these hosts
}

// vacancy tells when one host takes no registrations any more.
type vacancy struct {
	once sync.Once
	done chan struct{} // closed by declare
}

// newDrain returns a drain. Its maker adds the hosts and then calls leave.
func newDrain() *drain { return &drain{live: 1} }

// add counts the registrations of a host that begins to drain. The vacancy that it returns is declared when no
// registration of any host is left, or earlier by Host.vacate.
func (d *drain) add(live int) *vacancy {
	v := &vacancy{done: make(chan struct{})}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.live += live
	d.ends = append(d.ends, v)
	return v
}

// enter counts another registration. If no registration is left, it counts none and reports false.
func (d *drain) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.live == 0 {
		return false
	}
	d.live++
	return true
}

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

func (v *vacancy) declare() { v.once.Do(func() { close(v.done) }) }

func (v *vacancy) declared() bool {
	select {
	case <-v.done:
		return true
	default:
		return false
	}
}
