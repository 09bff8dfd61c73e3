//go:build cgo

package cabi

// #include "foreign.h"
import "C"

import (
	"sync"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/dyn"
	"github.com/futoin-go/asyncsteps/internal/guard"
)

// flow is a flow of any engine that is inside a guard of this engine, or waits for it.
type flow struct {
	api   *C.FutoInAsyncStepsAPI
	root  C.ptrdiff_t
	guard binval.Handle
}

// flows holds the flows that are inside a guard or wait for one.
var flows struct {
	mu  sync.Mutex
	all map[flow]*envoy
}

// envoy is a run of this engine that enters a guard for a flow of another engine, on that
// engine's loop, and stays inside until unlock. When the flow enters again, the envoy runs a
// section inside of its section, so that the guard sees the same flow.
type envoy struct {
	flow  flow
	guard guard.Guard
	tool  *foreignTool
	run   *dyn.Root

	// These fields are about the last call of lock.
	of      *C.FutoInAsyncSteps // the step that called it, if it waits; otherwise nil
	calling bool                // the call hasn't returned
	decided bool
	err     error
	claim   *guard.Ticket
	handle  binval.Handle // by which the step refers to the envoy while it waits

	again bool     // the next command is to enter again; otherwise it is to leave
	order dyn.Done // completes the wait for a command
}

var envoys binval.Handles[*envoy]

//export ftngoLock
func ftngoLock(bsi *C.FutoInAsyncSteps, guard C.uintptr_t) {
	settleOf(bsi)
	s, ok := guards.Get(binval.Handle(guard))
	if !ok {
		abroadError(bsi, errNoSync)
		return
	}
	key := flow{bsi.api, C.ftn_abroad_flow(bsi), binval.Handle(guard)}
	flows.mu.Lock()
	e := flows.all[key]
	flows.mu.Unlock()
	if e == nil {
		e = newEnvoy(key, bsi, s.guard)
	}
	e.tool.lend(bsi)
	defer e.tool.lend(nil)
	e.ask(bsi)
}

func newEnvoy(key flow, bsi *C.FutoInAsyncSteps, g guard.Guard) *envoy {
	e := &envoy{flow: key, guard: g, tool: newForeignTool(bsi)}
	enter := g.Enter
	e.guard.Enter = func(c *guard.Ticket) (bool, error) {
		e.claim = c
		return enter(c)
	}
	e.run = dyn.NewRoot(e.tool)
	e.run.Top().Add(attempt{e}, dyn.Code{})
	flows.mu.Lock()
	defer flows.mu.Unlock()
	if flows.all == nil {
		flows.all = map[flow]*envoy{}
	}
	flows.all[key] = e
	return e
}

// ask enters the guard once more, for the step of.
func (e *envoy) ask(of *C.FutoInAsyncSteps) {
	e.of, e.calling, e.decided, e.err = nil, true, false, nil
	if e.run.Made() {
		if err := e.run.Begin(e); err != nil {
			e.decide(err)
		}
	} else {
		e.command(true)
	}
	e.calling = false
	if e.decided && e.err == nil {
		return
	}
	if !e.decided {
		e.tool.instance() // while the pointer of is valid
	}
	e.handle = envoys.Put(e)
	C.ftn_abroad_lock_wait(of, C.uintptr_t(e.handle))
}

// command gives the innermost section its command, and lets it carry it out.
func (e *envoy) command(again bool) {
	e.again = again
	var none binval.Args
	e.tool.turns(true)
	e.order.Success(&none)
	e.tool.turns(false)
	e.run.Turn()
}

// decide answers the lock that was called last.
func (e *envoy) decide(err error) {
	if e.decided {
		return
	}
	e.decided, e.err = true, err
	e.claim = nil
	if !e.calling && e.of != nil {
		e.answer(e.of)
	}
}

// answer completes the step of, unless it was cancelled.
func (e *envoy) answer(of *C.FutoInAsyncSteps) {
	if _, ok := envoys.Take(e.handle); !ok {
		return
	}
	if e.err != nil {
		abroadError(of, e.err)
	} else {
		C.ftn_abroad_success(of, nil)
	}
}

// ftngoLockWaits is called when the sub-step of a lock that waits for the guard begins. It
// returns 1 if the answer comes later.
//
//export ftngoLockWaits
func ftngoLockWaits(bsi *C.FutoInAsyncSteps, handle C.uintptr_t) C.int {
	e, ok := envoys.Get(binval.Handle(handle))
	if !ok {
		return 0
	}
	if e.decided {
		e.answer(bsi)
		return 0
	}
	e.of = bsi
	return 1
}

// Ended implements dyn.Owner.
func (e *envoy) Ended(error) {
	flows.mu.Lock()
	delete(flows.all, e.flow)
	flows.mu.Unlock()
	e.tool.close()
}

// ftngoLockCancelled is called when a step that waits for the guard is cancelled.
//
//export ftngoLockCancelled
func ftngoLockCancelled(handle C.uintptr_t) {
	e, ok := envoys.Take(binval.Handle(handle))
	if ok && !e.decided && e.claim != nil {
		e.refuse()
	}
}

//export ftngoUnlock
func ftngoUnlock(bsi *C.FutoInAsyncSteps, guard C.uintptr_t) {
	settleOf(bsi)
	key := flow{bsi.api, C.ftn_abroad_flow(bsi), binval.Handle(guard)}
	flows.mu.Lock()
	e := flows.all[key]
	flows.mu.Unlock()
	if e == nil {
		return // the flow isn't inside
	}
	e.tool.lend(bsi)
	defer e.tool.lend(nil)
	if !e.decided && e.claim != nil { // the flow waits: withdraw it
		envoys.Take(e.handle)
		e.refuse()
		return
	}
	e.command(false)
}

// refuse withdraws the claim that waits for the guard.
func (e *envoy) refuse() {
	e.tool.turns(true)
	e.claim.Refuse(fault.Cancelled)
	e.tool.turns(false)
	e.run.Turn()
}

// The steps of an envoy: an attempt runs a section, and the section loops over commands.
type (
	attempt struct{ e *envoy }
	section struct{ e *envoy }
	order   struct{ e *envoy }
	await   struct{ e *envoy }
	obey    struct{ e *envoy }
)

func (b attempt) Exec(s *dyn.Step, _ *binval.Args) { s.Sync(b.e.guard, section(b), dyn.Code{}) }

// Catch ends the attempt, and not the sections around it.
func (b attempt) Catch(s *dyn.Step, err error) bool {
	b.e.decide(err)
	var none binval.Args
	s.Success(&none)
	return true
}

func (b section) Exec(s *dyn.Step, _ *binval.Args) {
	b.e.decide(nil)
	s.Loop(order(b), dyn.Code{}, "")
}

func (b order) Exec(s *dyn.Step, _ *binval.Args) {
	s.Add(await(b), dyn.Code{})
	s.Add(obey(b), dyn.Code{})
}

func (b await) Exec(s *dyn.Step, _ *binval.Args) {
	s.Wait()
	b.e.order = s.Done()
}

func (b obey) Exec(s *dyn.Step, _ *binval.Args) {
	if b.e.again {
		s.Add(attempt(b), dyn.Code{})
	} else {
		s.Leave("", false)
	}
}

func (section) Catch(*dyn.Step, error) bool { return false }
func (order) Catch(*dyn.Step, error) bool   { return false }
func (await) Catch(*dyn.Step, error) bool   { return false }
func (obey) Catch(*dyn.Step, error) bool    { return false }
