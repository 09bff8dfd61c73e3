package private

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/internal/goid"
	"github.com/futoin-go/asyncsteps/tool"
)

// loan is a private loop in the form that is given to user code, which may keep it. It accepts work until the run has ended.
// Then the loop inside the loan serves another run, unless user code has got its Host, which can't be taken back, other runs
// live on it, or a part was left behind.
//
// Only the goroutine that drives the loop ends the loan. So that goroutine takes no lock to queue a callback: the loan can't
// end meanwhile. All other goroutines hold mu when they queue one.
type loan struct {
	seat  *goid.Seat // the seat of the loop
	own   drive.Loop // the loop for the goroutine that drives it
	mu    sync.Mutex
	loop  atomic.Pointer[tool.Manual] // nil once the loan has ended
	host  *tool.Host                  // the result of Host; nil until it is known
	hosts bool                        // host is the Host of loop
}

// Lend returns t in the form that user code may have: the loan if t is a private loop, and otherwise t itself.
func Lend(t tool.Tool) tool.Tool {
	s, private := t.(*loop)
	if !private {
		return t
	}
	if l := s.lent.Load(); l != nil {
		return l
	}
	s.lent.CompareAndSwap(nil, lend(s))
	return s.lent.Load()
}

func lend(s *loop) *loan {
	l := &loan{seat: s.own.Seat(), own: s.own}
	l.loop.Store(s.loop)
	return l
}

// here reports whether the loan lasts, and the caller is the goroutine that drives the
// loop.
func (l *loan) here() bool {
	// In this order: the loop serves another run only after the loan has ended.
	return l.loop.Load() != nil && l.seat.Sure()
}

// Immediate implements tool.Tool.
func (l *loan) Immediate(fn func()) (tool.Handle, error) {
	if l.here() {
		h, err := l.own.ImmediateHere(fn)
		return tool.Handle(h), err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.loop.Load()
	if m == nil {
		return 0, tool.ErrShutdown
	}
	return m.Immediate(fn)
}

// Deferred implements tool.Tool.
func (l *loan) Deferred(d time.Duration, fn func()) (tool.Handle, error) {
	if l.here() {
		return l.loop.Load().Deferred(d, fn)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.loop.Load()
	if m == nil {
		return 0, tool.ErrShutdown
	}
	return m.Deferred(d, fn)
}

// Cancel implements tool.Tool.
func (l *loan) Cancel(h tool.Handle) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.loop.Load()
	return m != nil && m.Cancel(h)
}

// Valid implements tool.Tool.
func (l *loan) Valid(h tool.Handle) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.loop.Load()
	return m != nil && m.Valid(h)
}

// InLoop implements tool.Tool.
func (l *loan) InLoop() bool {
	m := l.loop.Load()
	return m != nil && m.InLoop()
}

// Host implements tool.Tool. If it is called first after the end of the loan, it returns a new Host, which accepts no runs.
func (l *loan) Host() *tool.Host {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.host == nil {
		l.host, l.hosts = l.within()
	}
	return l.host
}

// HostWithin implements [usercode.Lent].
func (l *loan) HostWithin() *tool.Host {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.host != nil {
		return l.host
	}
	host, lasts := l.within()
	if !lasts {
		l.host = host
	}
	return host
}

// within returns the Host of the loop while the loan lasts, afterwards a new Host that accepts no runs.
func (l *loan) within() (host *tool.Host, lasts bool) {
	if m := l.loop.Load(); m != nil {
		return m.Host(), true
	}
	host = tool.NewHost(tool.TurnLimits{})
	host.Drain()
	return host, false
}

// takeBack ends the loan. It runs the callbacks that are due, and reports true: the loop may serve another run. If user code
// may have the Host, or runs live on the loop, takeBack ends the loop for good, cancels those runs, and reports false.
func (l *loan) takeBack(loop *tool.Manual) bool {
	if l.close(false) {
		for loop.Iterate() { // each call finds less work
		}
		return true
	}
	End(loop)
	l.close(true)
	return false
}

// close makes l refuse all work, and reports true. If it isn't forced, and user code may have the Host of the loop or runs live
// on the loop, close does nothing and reports false. It may be called again after user code has ended the goroutine.
func (l *loan) close(forced bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if loop := l.loop.Load(); !forced && loop != nil && (l.hosts || loop.Host().Live() > 0) {
		return false
	}
	l.loop.Store(nil)
	return true
}
