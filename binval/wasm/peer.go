package wasm

import (
	"slices"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/internal/table"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/dyn"
	"github.com/futoin-go/asyncsteps/internal/frame"
)

// phase is the state of a pointer. Each function of the table is allowed in some phases.
type phase uint8

const (
	void      phase = iota // names nothing
	building               // a root whose run doesn't execute, or a parallel step, that takes steps
	executing              // code of its step runs
	hooking                // its cancel hook runs
	going                  // none of the step's code runs
)

// peer is the host's side of a FutoInAsyncSteps* of the guest. The two stay together as long as the instance exists; the step that they
// stand for changes.
type peer struct {
	in     *instance
	at     uint32 // the guest's pointer
	next   *peer  // in the list of free peers
	phase  phase
	step   *dyn.Step
	root   *root
	within *peer // the peer that this parallel step was added to
	flow   uintptr

	done     dyn.Done // completes the wait of the step
	cause    error    // the error that the handler was called with; nil in other code
	stack    []block  // oldest first
	parallel []*peer  // the parallel steps that were made with this pointer and may still take branches
	added    int      // number of objects that were counted for steps added with this pointer
	entry    bool     // the step is the export that the host has called
}

// block is memory of the function stack, a variable that has no run, or a lock. It is released when the pointer becomes void or, if the
// pointer was void already, when it is reused. A dead instance releases none.
type block struct {
	at, cleanup uint32
	stray       *variable // the variable; nil for anything else
	asks        *hold     // the lock, whose answer may come after the end of the step; nil for anything else
}

// Offsets and sizes in the memory that a pointer points to. It begins with the struct of C; the arguments of the step, the address of the
// notes and the code of an error follow.
const (
	peerArgs  = 8
	peerNotes = peerArgs + argsSize
	peerCode  = peerNotes + 4
	peerSize  = 192
	codeSize  = peerSize - peerCode
)

// quarantine is how many other peers must become free before a free peer is reused, so that a guest can't hit another step if it uses a
// pointer shortly after the end of its step.
const quarantine = 64

// find returns the peer of a pointer of the guest. It panics if there is none.
func (i *instance) find(at uint32) *peer {
	if n := i.load(at + 4); n < uint32(len(i.peers)) && i.peers[n].at == at {
		return i.peers[n]
	}
	refuse(fault.InternalError, "the guest has called the table with a pointer that isn't one of steps")
	return nil
}

func (i *instance) newPeer() *peer {
	i.hold()
	if i.spares > quarantine {
		p := i.free
		i.free, p.next = p.next, nil
		i.spares--
		if len(p.stack) > 0 { // blocks that were allocated while the pointer was void
			p.unstack()
		}
		return p
	}
	if i.room == 0 {
		if err := i.makeRoom(); err != nil {
			panic(err)
		}
	}
	p := &peer{in: i, at: i.block}
	clear(i.bytes(p.at, peerSize))
	i.store(p.at, i.api)
	i.store(p.at+4, uint32(len(i.peers)))
	i.store(p.at+peerNotes, i.notes)
	i.peers = append(i.peers, p)
	i.room--
	i.block += peerSize
	return p
}

func (i *instance) makeRoom() error {
	room := min(max(4, len(i.peers)), 64)
	at, err := i.guest(opAlloc, 0, uint32(room)*peerSize, 0, 0)
	if err != nil {
		return err
	}
	if at == 0 {
		return errNoMemory
	}
	i.block, i.room = at, room
	return nil
}

// Leave implements dyn.Peer. It voids the pointer.
func (p *peer) Leave() {
	if err := p.leave(); err != nil {
		panic(err) // fails the step, as a panic of a Go cleanup does
	}
}

// leave voids the pointer. It returns the error of a cleanup that has trapped. A dead instance calls no cleanups.
func (p *peer) leave() (err error) {
	i := p.in
	if p.phase == void {
		return nil
	}
	p.phase = void
	if p.entry { // so that no timer fires between the cleanups of its step and the end of the run
		p.entry = false
		i.cancelTasks()
	}
	if i.dead == nil && len(p.stack) > 0 {
		err = i.callback(i.here, p.unstack)
	}
	p.step, p.root, p.within, p.done, p.cause = nil, nil, nil, dyn.Done{}, nil
	i.objects -= p.added + 1
	p.added, p.parallel = 0, nil
	if i.free == nil {
		i.free = p
	} else {
		i.lastFree.next = p
	}
	i.lastFree = p
	i.spares++
	return err
}

// unstack ends the blocks of the pointer, newest first: it cleans up and frees memory, drops variables and undoes locks. Memory that a
// cleanup gets from the function stack meanwhile is kept until the next unstack.
func (p *peer) unstack() {
	stack := p.stack
	p.stack = nil
	for _, b := range slices.Backward(stack) {
		if b.asks != nil {
			b.asks.forsaken()
			continue
		}
		if b.stray != nil {
			p.in.dropVariable(b.stray)
			continue
		}
		if b.cleanup != 0 {
			p.in.must(p.in.guest(opOne, b.cleanup, b.at, 0, 0))
		}
		p.in.release(b.at)
	}
}

func (i *instance) mate(s *dyn.Step) *peer {
	if p, ok := s.Peer().(*peer); ok {
		p.step, p.done = s, dyn.Done{}
		return p
	}
	p := i.newPeer()
	p.phase = going
	p.flow, p.step = s.Flow(), s
	s.SetPeer(p)
	return p
}

func (p *peer) runs() bool { return p.phase == building || p.phase == executing }

func (p *peer) target() *dyn.Step {
	if p.root != nil {
		return p.root.run.Top()
	}
	return p.step
}

// misuse treats a call of the function table.Names[index] as a violation: it fails the step whose code runs. If no code of a step runs, it
// fails the step of p if that step waits, and otherwise reports the error.
func (p *peer) misuse(index uint) { p.forbid(table.Names[index]) }

// forbid is misuse for the function called name.
func (p *peer) forbid(name string) {
	if here := p.in.here; here != nil && here.step != nil {
		here.step.Break(table.Forbidden(name))
		return
	}
	err := fault.New(fault.InternalError, "the guest "+table.Forbidden(name))
	if !p.done.Fail(err) {
		p.in.tool.Host().Report(err)
	}
}

// complete ends the wait of the step from outside. Values that come too late are reset.
func (p *peer) complete(args *binval.Args, err error) {
	if err != nil {
		p.done.Fail(err)
	} else if !p.done.Success(args) {
		dyn.Drop(p.in.tool.Host(), args)
	}
}

// opened is called after the code of the step has set a limit, a hook or a wait.
func (p *peer) opened() { p.done = p.step.Done() }

func (p *peer) keeper() *root {
	if p.root != nil {
		return p.root
	}
	if p.step != nil {
		if r, ok := p.step.Owner().(*root); ok {
			return r
		}
	}
	if p.within != nil {
		return p.within.keeper()
	}
	return nil
}

// state returns the state of the run that the pointer belongs to; nil if that run doesn't execute.
func (p *peer) state() *frame.Vars {
	switch {
	case p.root != nil:
		return p.root.run.Vars()
	case p.step != nil && p.step.Run() != nil:
		return p.step.Run().Vars()
	case p.within != nil:
		return p.within.state()
	default:
		return nil
	}
}
