package share

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool"
)

type line[V any] struct{ first, last *asker[V] }

func (l *line[V]) push(a *asker[V]) {
	a.waits = true
	if a.prev = l.last; a.prev == nil {
		l.first = a
	} else {
		a.prev.next = a
	}
	l.last = a
}

// remove takes a out of l, which must have it.
func (l *line[V]) remove(a *asker[V]) {
	if a.prev == nil {
		l.first = a.next
	} else {
		a.prev.next = a.next
	}
	if a.next == nil {
		l.last = a.prev
	} else {
		a.next.prev = a.prev
	}
	a.prev, a.next, a.waits = nil, nil, false
}

// waiter is a copy of what conclude needs to give an asker its value: once the asker is out of the line,
// its memory may serve another step.
type waiter[V any] struct {
	done   op.Done[V]
	inside *nest
	at     int
}

// few holds what pop takes out of a line at a time.
type few[V any] [16]waiter[V]

// pop moves the oldest askers from the line to the array to, as many as it has room for. It returns how many, and whether there
// are more.
func (l *line[V]) pop(to *few[V]) (n int, more bool) {
	for a := l.first; a != nil && n < len(to); a = l.first {
		to[n] = waiter[V]{a.Done(), a.inside, a.at}
		l.remove(a)
		n++
	}
	return n, l.first != nil
}

// elsewhere returns the first asker on another loop that may take the load, after loop has ended or has refused
// the load; nil if there is none. A loop that has refused a load is shut down, so it isn't tried again.
func (l *line[V]) elsewhere(loop tool.Tool) *asker[V] {
	var found *asker[V]
	for a := l.first; a != nil; a = a.next {
		switch {
		case usercode.HostOf(a.loop) == usercode.HostOf(loop):
			a.refused = true
		case found == nil && !a.refused:
			found = a
		}
	}
	return found
}

func (l *line[V]) on(loop tool.Tool) bool {
	for a := l.first; a != nil; a = a.next {
		if usercode.HostOf(a.loop) == usercode.HostOf(loop) {
			return true
		}
	}
	return false
}
