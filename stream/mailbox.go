package stream

import (
	"slices"
	"sync"
)

// mailbox hands elements from one goroutine to another, in chunks. It holds at most size elements.
type mailbox[T any] struct {
	size int
	post func() // wakes the taker; called on other goroutines

	mu     sync.Mutex
	change sync.Cond // put, putAll and offer wait on it
	queue  []T
	spare  []T   // memory of an earlier queue, for reuse
	rest   []T   // elements that the taker has fetched and not given out
	hungry bool  // the taker waits for elements
	closed bool  // put and putAll refuse elements
	over   bool  // no more elements will be put
	err    error // the argument of finish; nil if the elements are complete
}

func newMailbox[T any](size int, post func()) *mailbox[T] {
	m := &mailbox[T]{size: size, post: post}
	m.change.L = &m.mu
	return m
}

// put waits until there is room and adds v. It reports false if the mailbox is closed.
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

// offer adds v, for which there must be room, and waits until there is room for another element. It reports
// false if the mailbox is closed; a later drain returns v then, unless the taker has got it.
func (m *mailbox[T]) offer(v T) bool {
	m.mu.Lock()
	if m.queue = append(m.queue, v); m.hungry {
		m.tell()
		m.mu.Lock()
	}
	defer m.mu.Unlock()
	for len(m.queue)+len(m.rest) >= m.size && !m.closed {
		m.change.Wait()
	}
	return !m.closed
}

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

// tell unlocks mu, and wakes the taker if it waits for elements.
func (m *mailbox[T]) tell() {
	hungry := m.hungry
	m.hungry = false
	m.mu.Unlock()
	if hungry {
		m.post()
	}
}

// finish is called when no more elements will be put. A non-nil err is the reason, and fails the stream.
func (m *mailbox[T]) finish(err error) {
	m.mu.Lock()
	m.over, m.err = true, err
	m.tell()
}

func (m *mailbox[T]) finished() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.over
}

// shut closes the mailbox for put. What is in it can still be taken.
func (m *mailbox[T]) shut() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.change.Broadcast()
}

// take returns up to room elements, or an error, as inlet.poll does.
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

// drain closes the mailbox, and returns the elements that were not taken.
func (m *mailbox[T]) drain() []T {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	left := slices.Concat(m.rest, m.queue)
	m.rest, m.queue = nil, nil
	return left
}

func (m *mailbox[T]) len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.queue) + len(m.rest)
}
