//go:build cgo

package cabi

// #include "foreign.h"
import "C"

import (
	"sync"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/internal/envoy"
	"github.com/futoin-go/asyncsteps/internal/guard"
)

// flow identifies a flow of any engine that is inside a guard of this engine, or waits for it.
type flow struct {
	api   *C.FutoInAsyncStepsAPI
	root  C.ptrdiff_t
	guard binval.Handle
}

var flows struct {
	mu  sync.Mutex
	all map[flow]*entrant
}

// entrant is a flow for which an envoy enters a guard, on the loop of the flow's engine.
type entrant struct {
	*envoy.Envoy
	flow   flow
	tool   *foreignTool
	leased bool // the guard has leases

	// These fields are about the last call of lock.
	of      *C.FutoInAsyncSteps // the sub-step that waits, or has waited, for the answer; nil if none has
	calling bool                // Enter hasn't returned
	err     error
	handle  binval.Handle // by which the sub-step refers to the entrant while it waits
}

var envoys binval.Handles[*entrant]

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

func newEnvoy(key flow, bsi *C.FutoInAsyncSteps, g guard.Guard) *entrant {
	e := &entrant{flow: key, tool: newForeignTool(bsi), leased: g.Lease != nil}
	e.Envoy = envoy.New(e.tool, g, e.tool.turns, e.ended)
	flows.mu.Lock()
	defer flows.mu.Unlock()
	if flows.all == nil {
		flows.all = map[flow]*entrant{}
	}
	flows.all[key] = e
	return e
}

// ask enters the guard for a call of lock. of is the step that makes the call.
func (e *entrant) ask(of *C.FutoInAsyncSteps) {
	e.of, e.calling, e.err = nil, true, nil
	e.Enter(e.answered)
	e.calling = false
	if !e.Decided() || e.leased {
		e.tool.instance() // now, while the pointer of is valid: the answer, or the loss of the lease, may come on another thread
	}
	if e.Decided() && e.err == nil {
		return
	}
	e.handle = envoys.Put(e)
	C.ftn_abroad_lock_wait(of, C.uintptr_t(e.handle))
}

// answered takes the guard's answer to the last call of lock, and passes it to the sub-step if one waits.
func (e *entrant) answered(err error) {
	e.err = err
	if !e.calling && e.of != nil {
		e.answer(e.of)
	}
}

func (e *entrant) answer(of *C.FutoInAsyncSteps) {
	if _, ok := envoys.Take(e.handle); !ok {
		return
	}
	if e.err != nil {
		abroadError(of, e.err)
	} else {
		C.ftn_abroad_success(of, nil)
	}
}

// ftngoLockWaits is called when the sub-step of a lock that wasn't entered at once begins. It returns 1 if the answer comes later.
//
//export ftngoLockWaits
func ftngoLockWaits(bsi *C.FutoInAsyncSteps, handle C.uintptr_t) C.int {
	e, ok := envoys.Get(binval.Handle(handle))
	if !ok {
		return 0
	}
	if e.Decided() {
		e.answer(bsi)
		return 0
	}
	e.of = bsi
	return 1
}

func (e *entrant) ended() {
	flows.mu.Lock()
	delete(flows.all, e.flow)
	flows.mu.Unlock()
	e.tool.close()
}

// ftngoLockCancelled is called when a step that waits for the guard is cancelled.
//
//export ftngoLockCancelled
func ftngoLockCancelled(handle C.uintptr_t) {
	if e, ok := envoys.Take(binval.Handle(handle)); ok {
		e.Cancel()
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
	if !e.Decided() {
		envoys.Take(e.handle) // the step that waits isn't answered
	}
	e.Leave()
}
