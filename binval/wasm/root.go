package wasm

import (
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/dyn"
)

// root is a run that the guest has made. It implements dyn.Owner.
type root struct {
	peer *peer
	run  dyn.Root
	vars map[string]*variable

	unhandled, data uint32
	freed           bool
	told            bool // Ended is calling unhandled
}

func (i *instance) newRoot() *root {
	r := &root{peer: i.newPeer()}
	r.run.Init(i.tool)
	r.peer.root, r.peer.flow, r.peer.phase = r, r.run.Flow(), building
	if i.roots == nil {
		i.roots = make(map[*root]struct{})
	}
	i.roots[r] = struct{}{}
	return r
}

// execute queues the run. If the root is executing or was freed, it calls unhandled with an error and has no other effect.
func (r *root) execute(data, unhandled uint32) {
	p := r.peer
	if r.freed || r.run.Live() {
		r.failed(dyn.ErrTwice, unhandled, data)
		return
	}
	r.unhandled, r.data = unhandled, data
	p.phase = going
	p.built()
	if err := r.run.Execute(r); err != nil {
		p.phase = building
		r.failed(err, unhandled, data)
	}
}

func (r *root) Ended(err error, cancelled bool) {
	p, i := r.peer, r.peer.in
	unhandled, data := r.unhandled, r.data
	r.unhandled, r.data = 0, 0
	i.objects -= p.added
	p.added = 0
	if !r.freed {
		p.phase = building
	}
	r.told = true
	if !cancelled {
		r.failed(err, unhandled, data)
	}
	r.told = false
	switch {
	case r.freed && !r.run.Live():
		r.leave()
	case i.leaving, i.dead != nil: // also if unhandled has executed the root again
		r.abandon()
	}
}

// failed reports err to the guest: it calls unhandled with the code of err. It does nothing if unhandled is 0, if err is nil, or if the
// instance is dead.
func (r *root) failed(err error, unhandled, data uint32) {
	i := r.peer.in
	if err == nil || unhandled == 0 || i.dead != nil {
		return
	}
	if e := i.callback(i.here, func() { i.tell(r.peer.at, err, unhandled, data) }); e != nil {
		i.tool.Host().Report(e)
	}
}

func (i *instance) tell(as uint32, err error, unhandled, data uint32) {
	word := i.lend(fault.CodeOf(err).Error())
	i.must(i.guest(opThree, unhandled, as, data, word))
	i.release(word)
}

// free ends the use of the root, and cancels a run that is executing. It reports false if the root was freed before.
func (r *root) free() bool {
	if r.freed {
		return false
	}
	r.freed = true
	if r.run.Live() {
		r.run.Cancel(nil)
		return true
	}
	if r.told {
		return true // unhandled_error has called free, and Ended does the rest
	}
	r.drop()
	r.leave()
	return true
}

// left reports whether the root has been dropped, or is being dropped. Variables that it gets after that would never be dropped.
func (r *root) left() bool { return r.freed && !r.told && !r.run.Live() }

func (r *root) drop() {
	if r.peer.phase != void {
		r.peer.phase = going // so that cleanups can't add steps meanwhile
	}
	r.run.Drop()
}

func (r *root) leave() {
	i := r.peer.in
	i.occupy()
	defer func() { // also if a cleanup traps inside of a call of the guest
		i.vacate()
		delete(i.roots, r)
		i.ended()
	}()
	r.drop()
	vars := r.vars
	r.vars = nil
	for _, v := range vars {
		i.dropVariable(v)
	}
	if err := r.peer.leave(); err != nil {
		i.tool.Host().Report(err)
	}
}

func (r *root) abandon() {
	if r.freed {
		return
	}
	r.free()
}
