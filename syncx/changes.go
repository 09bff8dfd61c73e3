package syncx

import (
	"sync"

	"github.com/futoin-go/asyncsteps/tool"
)

// changes calls the OnChange of a policy for each change of a guard: one after the other and in their order, whichever loops
// cause them, without the lock of the guard. A loop that causes a change while another goroutine is telling leaves the
// change to that goroutine, so it doesn't wait for the user's code.
type changes[T any] struct {
	told func(from, to T) // or nil

	// The lock of the guard guards these.
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

// tell calls the function for each change that isn't told yet, unless another call of tell is doing so. lock, which the caller
// doesn't hold, is that of the guard. host is that of the caller's loop, to which a panic is reported. If host is nil the
// caller is user code, and the panic goes on to it after the other changes were told. They are also told if the function
// ends the goroutine.
func (n *changes[T]) tell(lock sync.Locker, host *tool.Host) {
	next, ok := n.next(lock, true)
	if !ok {
		return
	}
	defer func() {
		if ok { // the function has panicked, or ends the goroutine
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

// next takes the oldest change that isn't told yet, or ends the telling. begins is set for the first call of a telling,
// which gets none if another one is under way.
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
