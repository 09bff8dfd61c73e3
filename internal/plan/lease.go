package plan

import (
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// lease is a private loop as user code sees it, which may keep it: it takes work
// until the run has ended. The loop below it then serves another run, unless
// somebody has asked for its Host, which can't be taken back.
type lease struct {
	mu    sync.Mutex
	loop  *tool.Manual // nil once the run has ended
	host  *tool.Host   // what Host has returned; nil until the first call
	hosts bool         // host is that of loop
}

// Lend returns t for user code.
func Lend(t tool.Tool) tool.Tool {
	s, private := t.(*privateLoop)
	if !private {
		return t
	}
	if l := s.lent.Load(); l != nil {
		return l
	}
	s.lent.CompareAndSwap(nil, &lease{loop: s.loop})
	return s.lent.Load()
}

// Immediate implements tool.Tool.
func (l *lease) Immediate(fn func()) (tool.Handle, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.loop == nil {
		return 0, tool.ErrShutdown
	}
	return l.loop.Immediate(fn)
}

// Deferred implements tool.Tool.
func (l *lease) Deferred(d time.Duration, fn func()) (tool.Handle, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.loop == nil {
		return 0, tool.ErrShutdown
	}
	return l.loop.Deferred(d, fn)
}

// Cancel implements tool.Tool.
func (l *lease) Cancel(h tool.Handle) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.loop != nil && l.loop.Cancel(h)
}

// Valid implements tool.Tool.
func (l *lease) Valid(h tool.Handle) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.loop != nil && l.loop.Valid(h)
}

// InLoop implements tool.Tool.
func (l *lease) InLoop() bool {
	l.mu.Lock()
	loop := l.loop
	l.mu.Unlock()
	return loop != nil && loop.InLoop()
}

// Host implements tool.Tool. Asked for too late it is one that takes nobody.
func (l *lease) Host() *tool.Host {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.host != nil:
	case l.loop != nil:
		l.host, l.hosts = l.loop.Host(), true
	default:
		l.host = tool.NewHost(tool.TurnLimits{})
		l.host.Drain()
	}
	return l.host
}

// end takes the loop back: it does what the lease has accepted. It reports false
// if somebody may have its Host; the loop ends for good then, and the runs that
// live on it are cancelled.
func (l *lease) end(loop *tool.Manual) bool {
	if l.close(false) {
		for loop.Iterate() { // each time it finds less
		}
		return true
	}
	loop.Host().Stop(ErrLoopEnds)
	rest(loop)
	l.close(true)
	return false
}

// close makes l refuse all work; it reports false and doesn't, unless forced, if
// somebody may have the Host of the loop.
func (l *lease) close(forced bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts && !forced {
		return false
	}
	l.loop = nil
	return true
}
