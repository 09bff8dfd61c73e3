package syncx

import (
	"sync"

	"github.com/futoin-go/asyncsteps/tool"
)

// changes calls the OnChange of a policy for each change of a guard, one call at a time, in the order of the changes, and
// without the lock of the guard. If a loop causes a change while another goroutine is calling OnChange, that goroutine also
// makes the call for the change. So the loop doesn't wait for the user's code.
type changes[T any] struct {
	told func(from, to T) // OnChange of the policy; may be nil

	// The lock of the guard guards untold and telling.
	untold  []change[T]
	telling bool
}

type change[T any] struct{ from, to T }

// add records a change; the lock of the guard is held.
func (n *changes[T]) add(from, to T) {
	if n.told != nil {
		n.untold = append(n.untold, change[T]{from, to})
	}
}

// tell calls told for each change in untold, unless another call of tell is doing so. lock is the lock of the guard, which
// the caller doesn't hold. A panic in told is reported to host, the host of the caller's loop. If host is nil, the caller is
// user code, which gets the panic after the other changes were told. They are also told if told ends the goroutine.
func (n *changes[T]) tell(lock sync.Locker, host *tool.Host) {
	next, ok := n.next(lock, true)
	if !ok {
		return
	}
	defer func() {
		if ok { // told has panicked, or ends the goroutine
			n.stop(lock)
			n.tell(lock, host)
		}
	}()
	for ; ok; next, ok = n.next(lock, false) {
		if host == nil {
			n.told(next.from, next.to)
		} else {
			host.Call(func() { n.told(next.from, next.to) })
		}
	}
}

// next takes the oldest change out of untold. If there is none, it clears telling and reports false. begins is true in the
// first call of a tell, which gets no change if another tell is under way.
func (n *changes[T]) next(lock sync.Locker, begins bool) (c change[T], ok bool) {
	lock.Lock()
	defer lock.Unlock()
	if begins && n.telling {
		return c, false
	}
	n.telling = len(n.untold) > 0
	if !n.telling {
		n.untold = nil
		return c, false
	}
	c, n.untold = n.untold[0], n.untold[1:]
	return c, true
}

func (n *changes[T]) stop(lock sync.Locker) {
	lock.Lock()
	defer lock.Unlock()
	n.telling = false
}
