package wasm

import (
	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/internal/table"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/dyn"
)

// The kinds of steps that a guest adds. Each is the instance under another type, which implements dyn.Body. What differs between steps of
// one kind is in their dyn.Code.
type (
	catcher  instance // only an error handler
	function instance // an execute_callback
	turn     instance // the body of a loop
	counted  instance // the body of a repeat
)

func (b *catcher) Exec(s *dyn.Step, _ *binval.Args)  { s.Break(table.NoCode) }
func (b *catcher) Catch(s *dyn.Step, err error) bool { return (*instance)(b).handle(s, err) }

func (b *function) Exec(s *dyn.Step, in *binval.Args) { (*instance)(b).run(s, in, nil, ofFunction, "") }
func (b *function) Catch(s *dyn.Step, err error) bool { return (*instance)(b).handle(s, err) }

func (b *turn) Exec(s *dyn.Step, in *binval.Args) { (*instance)(b).run(s, in, nil, ofTurn, "") }
func (b *turn) Catch(*dyn.Step, error) bool       { return false }

func (b *counted) Exec(s *dyn.Step, in *binval.Args) { (*instance)(b).run(s, in, nil, ofCounted, "") }
func (b *counted) Catch(*dyn.Step, error) bool       { return false }

func (i *instance) handle(s *dyn.Step, err error) bool {
	if s.Code().Catch == 0 || i.dead != nil {
		return false
	}
	i.run(s, nil, err, ofHandler, "")
	return true
}

// code lends an error code to the guest: in the peer's own memory or, if it doesn't fit there, in memory that run releases.
func (i *instance) code(p *peer, c fault.Code) uint32 {
	s := c.Error()
	if len(s) >= codeSize {
		return i.lend(s)
	}
	b := i.bytes(p.at+peerCode, codeSize)
	b[copy(b, s)] = 0
	return p.at + peerCode
}

type codeOf uint8

const (
	ofEntry    codeOf = iota // an export that is a step
	ofFunction               // an execute_callback
	ofTurn                   // the body of a loop
	ofCounted                // the body of a repeat
	ofHandler                // an error handler
)

// run runs code of a step: in holds its arguments, cause is the error that a handler is called for, export the name of an entry. If the
// guest doesn't return, the step fails.
//
// It calls the runtime itself, not through functions that could be shared, for the sake of speed.
func (i *instance) run(s *dyn.Step, in *binval.Args, cause error, kind codeOf, export string) {
	c := s.Code()
	switch {
	case kind != ofEntry && kind != ofHandler && c.Run == 0:
		s.Break(table.NoCode)
		return
	case i.dead != nil:
		s.Abort(i.dead)
		return
	}
	i.occupy()
	here, returned := i.here, false
	defer func() {
		var err error
		if !returned {
			if r := recover(); r != nil {
				err = i.failed(r)
			}
		}
		i.ran(s, here, err)
	}()
	i.turns++
	p := i.mate(s)
	p.phase, p.cause = executing, cause
	i.here = p
	if kind <= ofFunction {
		if err := i.passArgs(p.at+peerArgs, in); err != nil {
			s.Fail(err)
			return
		}
	}
	var k *call
	word := uint32(0)
	switch kind {
	case ofEntry:
		p.entry = true
		k = i.toEntry(export, p.at, p.at+peerArgs)
	case ofFunction:
		k = i.toGuest(opThree, uint32(c.Run), p.at, uint32(c.Data), p.at+peerArgs)
	case ofTurn:
		k = i.toGuest(opTwo, uint32(c.Run), p.at, uint32(c.Data), 0)
	case ofCounted:
		k = i.toGuest(opThree, uint32(c.Run), p.at, uint32(c.Data), uint32(s.Index()))
	case ofHandler:
		word = i.code(p, fault.CodeOf(cause))
		k = i.toGuest(opThree, uint32(c.Catch), p.at, uint32(c.Data), word)
	}
	outer := i.noting
	i.openNotes(p)
	err := k.f.CallWithStack(&i.ctx, k.stack[:])
	if err == nil {
		i.readNotes()
	}
	if err := i.returned(err); err != nil {
		panic(err)
	}
	if i.depth > 0 {
		i.closeNotes()
		if outer != nil {
			i.openNotes(outer)
		}
	}
	if word != 0 && word != p.at+peerCode {
		i.release(word)
	}
	returned = true
}

func (i *instance) ran(s *dyn.Step, here *peer, err error) {
	i.vacate()
	i.turns--
	i.here = here
	if p, ok := s.Peer().(*peer); ok && p.phase == executing {
		p.phase = going
		p.built()
	}
	if err != nil {
		s.Abort(err)
	}
}

// built is called when the code has ended, or the root is executed. The parallel steps that were made with the pointer take no more
// branches.
func (p *peer) built() {
	for _, q := range p.parallel {
		if q.phase == building {
			q.phase = going
		}
		q.built()
	}
	p.parallel = p.parallel[:0]
}

// callback calls code other than that of a step, such as that of a timer, a hook or a cleanup. If code breaks a rule, the step of here
// fails; here may be nil.
func (i *instance) callback(here *peer, code func()) error {
	if i.dead != nil {
		return i.dead
	}
	outer := i.here
	i.here = here
	i.turns++
	err := i.shielded(code)
	i.turns--
	i.here = outer
	return err
}
