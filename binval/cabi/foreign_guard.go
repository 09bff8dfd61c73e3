//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import (
	"cmp"
	"sync"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/dyn"
	"github.com/futoin-go/asyncsteps/syncx"
)

// foreignGuard is a FutoInSync of another engine. Values for the same object are ==.
type foreignGuard struct{ sync *C.FutoInSync }

// entries holds the entry of each ticket that holds a foreign lock or waits for one. A re-entry has none.
var entries sync.Map // *syncx.Ticket → *entry

// entry is a run of this engine that holds the foreign lock for one ticket: it calls lock, waits until the ticket leaves, then calls
// unlock.
type entry struct {
	sync   *C.FutoInSync
	ticket *syncx.Ticket
	run    *dyn.Root

	mu       sync.Mutex
	held     dyn.Done // ends the wait
	entering bool     // Enter hasn't returned, and will answer the ticket
	decided  bool     // the lock was entered, or the run has ended
	left     bool     // the ticket has left
	err      error    // why the lock failed
}

// Enter implements syncx.Guard.
func (g foreignGuard) Enter(t *syncx.Ticket) (bool, error) {
	if g.sync == nil || g.sync.api == nil {
		return false, errNoSync
	}
	if t.Reentry() {
		return true, nil
	}
	e := &entry{sync: g.sync, ticket: t, run: dyn.NewRoot(t.Loop()), entering: true}
	e.run.Top().Add(locking{e: e}, dyn.Code{})
	e.run.Top().Add(holding{e: e}, dyn.Code{})
	e.run.Top().Add(unlocking{e: e}, dyn.Code{})
	entries.Store(t, e)
	err := e.run.Begin(e)
	e.mu.Lock()
	e.entering = false
	entered := e.decided
	err = cmp.Or(err, e.err)
	e.mu.Unlock()
	if err != nil {
		entries.Delete(t)
		return false, err
	}
	return entered, nil
}

// Leave implements syncx.Guard.
func (g foreignGuard) Leave(t *syncx.Ticket) {
	if e, ok := entries.LoadAndDelete(t); ok { // a re-entry has no entry
		e.(*entry).leave()
	}
}

// Withdraw implements syncx.Guard.
func (g foreignGuard) Withdraw(t *syncx.Ticket) { g.Leave(t) }

// leave releases the lock, or gives up waiting for it. That is complete when leave returns, unless unlock of the foreign object waits.
func (e *entry) leave() {
	e.mu.Lock()
	e.left = true
	held, decided := e.held, e.decided
	e.mu.Unlock()
	var none binval.Args
	if !held.Success(&none) && !decided {
		e.run.Cancel(nil) // the run still waits for the lock
	}
	e.run.Turn()
}

// unlock calls unlock of the foreign object with the pointer of p. phase tells C whether it is called as code of the step or as its hook.
func (e *entry) unlock(p *peer, phase C.uint32_t) {
	p.call(func() { C.ftn_unlocking(p.c, e.sync, phase) })
}

// Ended implements dyn.Owner. If the lock failed, it refuses a ticket that waits, or leaves the error to Enter if Enter hasn't returned.
func (e *entry) Ended(err error, _ bool) {
	e.mu.Lock()
	refuse := !e.decided && !e.left
	e.decided = true
	if refuse && err == nil {
		err = fault.New(fault.InternalError, "the foreign lock ended before it was entered")
	}
	if refuse && e.entering {
		e.err, refuse = err, false
	}
	e.mu.Unlock()
	if refuse {
		e.ticket.Refuse(err)
	}
}

type (
	locking   struct{ e *entry }
	holding   struct{ e *entry }
	unlocking struct{ e *entry }
)

// Exec calls lock. If lock waits and has set no cancel hook, unlock becomes the hook, to withdraw the flow from the queue.
func (b locking) Exec(s *dyn.Step, _ *binval.Args) {
	p := mate(s)
	p.call(func() { C.ftn_locking(p.c, b.e.sync) })
	p.replay(s, nil)
	if p.waiting().Valid() && !p.hooked {
		s.SetCancel(func() { b.e.unlock(p, C.FTN_HOOKING) })
	}
}

func (b holding) Exec(s *dyn.Step, _ *binval.Args) {
	p := mate(s)
	s.SetCancel(func() { b.e.unlock(p, C.FTN_HOOKING) })
	b.e.mu.Lock()
	b.e.held, b.e.decided = s.Done(), true
	left, entering := b.e.left, b.e.entering
	b.e.mu.Unlock()
	if left || !entering && !b.e.ticket.Grant() {
		var none binval.Args
		s.Success(&none)
	}
}

func (b unlocking) Exec(s *dyn.Step, _ *binval.Args) {
	p := mate(s)
	b.e.unlock(p, C.FTN_EXECUTING)
	p.replay(s, nil)
}

// There are no handlers: an error of lock or unlock ends this run. Ended passes an error of lock on; an error of unlock is lost.
func (locking) Catch(*dyn.Step, error) bool   { return false }
func (holding) Catch(*dyn.Step, error) bool   { return false }
func (unlocking) Catch(*dyn.Step, error) bool { return false }
