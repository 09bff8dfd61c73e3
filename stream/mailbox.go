package stream

import (
	"slices"
	"sync"
)

// mailbox hands elements from one goroutine to another one, in chunks. It never holds more than
// its size.
type mailbox[T any] struct {
	size int
	post func() // tells the taker that it is worth to look again; it may be any goroutine

	mu     sync.Mutex
	change sync.Cond // of everything below
	queue  []T
	spare  []T // what the taker has read, to be used again
	rest   []T // what the taker has got and not given out
	hungry bool
	closed bool  // nobody takes any more
	over   bool  // nobody puts any more
	err    error // why
}

func newMailbox[T any](size int, post func()) *mailbox[T] {
	m := &mailbox[T]{size: size, post: post}
	m.change.L = &m.mu
	return m
}

// put waits until there is room for v; it reports false if nobody takes it any more.
func (m *mailbox[T]) put(v T) bool {
	m.mu.Lock()
	for len(m.queue)+len(m.rest) >= m.size && !m.closed {
		m.change.Wait()
	}
	if m.closed {
		m.mu.Unlock()
		return false
	}
	m.queue = append(m.queue, v)
	m.tell()
	return true
}

// putAll is put for many.
func (m *mailbox[T]) putAll(all []T) bool {
	for len(all) > 0 {
		m.mu.Lock()
		for len(m.queue)+len(m.rest) >= m.size && !m.closed {
			m.change.Wait()
		}
		if m.closed {
			m.mu.Unlock()
			return false
		}
		n := min(len(all), m.size-len(m.queue)-len(m.rest))
		m.queue = append(m.queue, all[:n]...)
		all = all[n:]
		m.tell()
	}
	return true
}

// tell unlocks and tells the taker, if that waits.
func (m *mailbox[T]) tell() {
	hungry := m.hungry
	m.hungry = false
	m.mu.Unlock()
	if hungry {
		m.post()
	}
}

// finish says that nothing more is put, and why if that is an error.
func (m *mailbox[T]) finish(err error) {
	m.mu.Lock()
	m.over, m.err = true, err
	m.tell()
}

// shut says that nothing more is taken.
func (m *mailbox[T]) shut() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.change.Broadcast()
}

// take gives up to room elements, as poll does.
func (m *mailbox[T]) take(room int) ([]T, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.rest) == 0 {
		if len(m.queue) == 0 {
			if m.hungry = !m.over; m.hungry {
				return nil, errIdle
			}
			if m.err != nil {
				return nil, m.err
			}
			return nil, errOver
		}
		m.rest, m.queue, m.spare = m.queue, m.spare[:0], m.queue[:0]
	}
	n := min(room, len(m.rest))
	chunk := m.rest[:n:n]
	m.rest = m.rest[n:]
	m.change.Broadcast()
	return chunk, nil
}

// drain gives what nobody has taken. Nothing is put any more.
func (m *mailbox[T]) drain() []T {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	left := slices.Concat(m.rest, m.queue)
	m.rest, m.queue = nil, nil
	return left
}
