package share

import "github.com/futoin-go/asyncsteps/tool"

// line is a list of askers, oldest first.
type line[V any] struct {
	first, last *asker[V]
	n           int
}

func (l *line[V]) push(a *asker[V]) {
	a.waits = true
	if a.prev = l.last; a.prev == nil {
		l.first = a
	} else {
		a.prev.next = a
	}
	l.last = a
	l.n++
}

// remove takes a out, which is in l.
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
	l.n--
}

// empty takes all out.
func (l *line[V]) empty() []*asker[V] {
	all := make([]*asker[V], 0, l.n)
	for l.first != nil {
		all = append(all, l.first)
		l.remove(l.first)
	}
	return all
}

// elsewhere returns the first asker on another loop than that one, nil if there is none.
func (l *line[V]) elsewhere(that tool.Tool) *asker[V] {
	for a := l.first; a != nil; a = a.next {
		if a.loop.Host() != that.Host() {
			return a
		}
	}
	return nil
}

// on reports whether an asker is on that loop.
func (l *line[V]) on(that tool.Tool) bool {
	for a := l.first; a != nil; a = a.next {
		if a.loop.Host() == that.Host() {
			return true
		}
	}
	return false
}
