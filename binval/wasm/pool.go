package wasm

import (
	"context"
	"strconv"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

func (m *Module) first() error {
	i, err := m.newInstance(context.Background())
	if err == nil {
		m.idle = append(m.idle, i)
	}
	return err
}

// take returns an instance for a run on t. If held is set, the guest may hold its goroutine until ctx ends.
func (m *Module) take(ctx context.Context, t tool.Tool, held bool) (*instance, error) {
	i, err := m.reserve()
	if err != nil {
		return nil, err
	}
	if i == nil {
		if i, err = m.newInstance(ctx); err != nil {
			m.release()
			return nil, err
		}
	}
	i.begin(ctx, t, held)
	return i, nil
}

// reserve counts one more instance that is in use, and returns an idle one; nil if there is none.
func (m *Module) reserve() (*instance, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch n := len(m.idle); {
	case m.closed:
		return nil, invalid("the module was closed")
	case m.used >= m.limits.Instances:
		return nil, fault.New(fault.DefenseRejected, strconv.Itoa(m.used)+" instances of the module are in use")
	case n == 0:
		m.used++
		return nil, nil
	default:
		i := m.idle[n-1]
		m.idle[n-1] = nil
		m.idle = m.idle[:n-1]
		m.used++
		return i, nil
	}
}

// give takes back an instance whose run has ended. It closes the instance if Limits.Reuse isn't set, if the instance is dead, if
// Limits.Ready instances are idle, or if the module is closed. Without Reuse it then makes a new instance if fewer than Limits.Ready are
// idle. ctx is the context that take was called with.
func (m *Module) give(ctx context.Context, i *instance) {
	again := m.limits.Reuse && i.dead == nil
	if again {
		again = m.keep(i)
	}
	if !again {
		i.close()
	}
	if !m.limits.Reuse && m.wants() {
		if fresh, err := m.newInstance(ctx); err == nil && !m.keep(fresh) {
			fresh.close()
		} // an error is ignored: the next step that needs an instance makes one, and reports its error
	}
	m.release()
}

func (m *Module) keep(i *instance) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || len(m.idle) >= m.limits.Ready {
		return false
	}
	m.idle = append(m.idle, i)
	return true
}

// wants reports whether fewer than Limits.Ready instances are idle. It returns false if the module is closed.
func (m *Module) wants() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.closed && len(m.idle) < m.limits.Ready
}

func (m *Module) release() {
	m.mu.Lock()
	m.used--
	last := m.closed && m.used == 0
	m.mu.Unlock()
	if last {
		_ = m.free() // nobody is left who could get the error
	}
}
