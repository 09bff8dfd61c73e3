//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import (
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/internal/table"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/dyn"
)

// replay carries out the recorded calls of C for p. waitExternal comes first: it counts only if the step does nothing else. cause is the
// error that the handler of the step was called with, nil in other code.
func (p *peer) replay(s *dyn.Step, cause error) {
	p.settle()
	if p.waits() {
		s.Wait()
		p.publish()
	}
	if p.c.count == 0 {
		return
	}
	for nested := p.said(s, cause, nil); len(nested) > 0; { // no recursion: parallel steps may be nested to any depth
		q := nested[len(nested)-1]
		q.setPhase(C.FTN_GOING) // said may drop values, whose cleanups must not add to q
		nested = q.said(q.step, cause, nested[:len(nested)-1])
	}
}

// said carries out the recorded calls of C for p alone. It appends the parallel steps that it adds to nested.
func (p *peer) said(s *dyn.Step, cause error, nested []*peer) []*peer {
	texts := p.c.room > 256
	notes := unsafe.Slice(p.c.notes, int(p.c.count))
	for i := range notes {
		n := &notes[i]
		texts = texts || n.text != nil || n.info != nil
		if n.op != C.FTN_PARALLEL {
			p.repeat(s, n, cause)
			continue
		}
		q := peerOf((*C.ftn_steps)(n.object).peer)
		q.step = s.Parallel(catcher{}, dyn.Code{Catch: uintptr(n.catcher), Data: uintptr(n.data)})
		q.step.SetPeer(q)
		n.object = nil // q ends with that step, also if a later call ends the goroutine
		nested = append(nested, q)
	}
	if texts {
		C.ftn_clear(p.c)
	}
	p.c.count = 0
	return nested
}

// unsay drops the recorded calls of C for p, and those for the parallel steps among them. If carrying out a call has ended the goroutine,
// the calls before that one aren't undone.
func (p *peer) unsay() {
	if p.c.count == 0 {
		return
	}
	for dropped := p.unsaid(nil); len(dropped) > 0; { // no recursion: parallel steps may be nested to any depth
		q := dropped[len(dropped)-1]
		dropped = q.unsaid(dropped[:len(dropped)-1])
		q.host().Host().Call(q.Leave) // with Host.Call, because the step of q never begins, so no step is to blame for a panic
	}
}

// unsaid drops the recorded calls of C for p alone, and resets the values of success. It appends the parallel steps among them to
// dropped.
func (p *peer) unsaid(dropped []*peer) []*peer {
	for _, n := range unsafe.Slice(p.c.notes, int(p.c.count)) {
		switch n.op {
		case C.FTN_PARALLEL:
			if n.object != nil {
				dropped = append(dropped, peerOf((*C.ftn_steps)(n.object).peer))
			}
		case C.FTN_PLAN:
			plans.Take(binval.Handle(n.data))
		}
	}
	C.ftn_clear(p.c)
	var none binval.Args
	dyn.Drop(p.host().Host(), p.given(&none))
	return dropped
}

func (p *peer) repeat(s *dyn.Step, n *C.ftn_note, cause error) {
	code := dyn.Code{Run: uintptr(n.run), Catch: uintptr(n.catcher), Data: uintptr(n.data)}
	switch n.op {
	case C.FTN_ADD:
		s.Add(function{}, code)
	case C.FTN_LOOP:
		s.Loop(turn{}, code, text(n.text))
	case C.FTN_REPEAT:
		s.Repeat(counted{}, code, uint64(n.count), text(n.text))
	case C.FTN_SYNC:
		s.Sync(guardOf((*C.FutoInSync)(n.object)), function{}, code)
	case C.FTN_PLAN:
		if t, ok := plans.Take(binval.Handle(n.data)); ok {
			s.Plan(t)
		}
	case C.FTN_SUCCESS:
		var none binval.Args
		s.Success(p.given(&none))
	case C.FTN_ERROR:
		s.Fail(table.Raised(fault.Code(text(n.text)), text(n.info), cause))
	case C.FTN_BREAK:
		s.Leave(text(n.text), false)
	case C.FTN_CONTINUE:
		s.Leave(text(n.text), true)
	case C.FTN_MISUSE:
		s.Break(table.Misused(uint(n.count)))
	default:
		s.Break("ran out of memory in C")
	}
}

func text(s *C.char) string {
	if s == nil {
		return ""
	}
	return C.GoString(s)
}
