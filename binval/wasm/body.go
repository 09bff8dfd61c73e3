package wasm

import (
	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/internal/table"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/dyn"
)

// The kinds of steps of a guest: everything about a step is in its code, and the rest is the instance's.
type (
	catcher  instance // only an error handler
	function instance // an execute_callback
	turn     instance // the body of a loop
	counted  instance // the body of a repeat
)

func (b *catcher) Exec(s *dyn.Step, _ *binval.Args)  { s.Break(table.NoCode) }
func (b *catcher) Catch(s *dyn.Step, err error) bool { return (*instance)(b).handle(s, err) }

func (b *function) Exec(s *dyn.Step, in *binval.Args) {
	i := (*instance)(b)
	i.execute(s, func(p *peer, code dyn.Code) error {
		if err := i.passArgs(p.at+peerArgs, in); err != nil {
			s.Fail(err)
			return nil
		}
		_, err := i.guest(opThree, uint32(code.Run), p.at, uint32(code.Data), p.at+peerArgs)
		return err
	})
}
func (b *function) Catch(s *dyn.Step, err error) bool { return (*instance)(b).handle(s, err) }

func (b *turn) Exec(s *dyn.Step, _ *binval.Args) {
	i := (*instance)(b)
	i.execute(s, func(p *peer, code dyn.Code) error {
		_, err := i.guest(opTwo, uint32(code.Run), p.at, uint32(code.Data), 0)
		return err
	})
}
func (b *turn) Catch(*dyn.Step, error) bool { return false }

func (b *counted) Exec(s *dyn.Step, _ *binval.Args) {
	i := (*instance)(b)
	i.execute(s, func(p *peer, code dyn.Code) error {
		_, err := i.guest(opThree, uint32(code.Run), p.at, uint32(code.Data), uint32(s.Index()))
		return err
	})
}
func (b *counted) Catch(*dyn.Step, error) bool { return false }

// execute calls the code of a step.
func (i *instance) execute(s *dyn.Step, call func(p *peer, code dyn.Code) error) {
	code := s.Code()
	if code.Run == 0 {
		s.Break(table.NoCode)
		return
	}
	i.run(s, nil, func(p *peer) error { return call(p, code) })
}

// handle calls the error handler of a step, if it has one. That of an instance which is dead has none.
func (i *instance) handle(s *dyn.Step, err error) bool {
	code := s.Code()
	if code.Catch == 0 || i.dead != nil {
		return false
	}
	i.run(s, err, func(p *peer) error {
		word := i.code(p, fault.CodeOf(err))
		_, e := i.guest(opThree, uint32(code.Catch), p.at, uint32(code.Data), word)
		if word != p.at+peerCode && e == nil {
			i.release(word)
		}
		return e
	})
	return true
}

// code lends an error code to the guest: in the peer's own memory, or in memory of its own if it is very long.
func (i *instance) code(p *peer, c fault.Code) uint32 {
	s := c.Error()
	if len(s) >= codeSize {
		return i.lend(s)
	}
	b := i.bytes(p.at+peerCode, codeSize)
	b[copy(b, s)] = 0
	return p.at + peerCode
}

// run runs code of a step. If the guest doesn't return, the step fails.
func (i *instance) run(s *dyn.Step, cause error, code func(p *peer) error) {
	outer := i.here
	i.turns++
	var p *peer
	err := i.dead
	if err == nil {
		err = i.shielded(func() {
			p = i.mate(s)
			p.phase, p.cause = executing, cause
			i.here = p
			if e := code(p); e != nil {
				panic(e)
			}
		})
	}
	i.turns--
	i.here = outer
	if p != nil && p.phase == executing {
		p.phase = going
		p.built()
	}
	if err != nil {
		s.Abort(err)
	}
}

// built ends the time in which the parallel steps that the code has made take branches.
func (p *peer) built() {
	for _, q := range p.parallel {
		if q.phase == building {
			q.phase = going
		}
		q.built()
	}
	p.parallel = p.parallel[:0]
}

// callback calls code that no step has: a timer's, a hook's, a cleanup's. here is the peer of a hook.
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
