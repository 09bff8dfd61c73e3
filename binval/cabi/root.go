//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import (
	"sync"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/dyn"
	"github.com/futoin-go/asyncsteps/tool"
)

// Root is a run to which C, or Go with [Add], adds steps before it is executed. When it has ended it may be given steps and
// executed again.
//
//spec:ftn12 §2.2.1 newInstance, §2.2.3
type Root struct {
	peer *peer
	from *peer // whose newInstance has made the root; nil for others
	run  dyn.Root
	vars variables // state variables that C has made; dropped when the root is freed
	bad  error     // the reason why the root can't be executed; nil if it can

	// done is called at the end of a run that Execute has started. If C has started the run, unhandled is called with data when it fails.
	// The three fields belong to the run that executes, and are nil or 0 if there is none.
	done            func(error)
	unhandled, data C.uintptr_t

	mu       sync.Mutex
	executes bool // from the checks of execute until the end of the run, when done or unhandled is about to be called
	freed    bool
	ended    bool // the last run has ended, and done or unhandled has returned, or Free has dropped steps that weren't executed
}

var link sync.Once

// linked lets C and Go reset each other's values. Later calls do nothing.
func linked() {
	link.Do(func() {
		binval.Link(binval.Linkage{
			Cleanup: uintptr(C.ftn_cleanup_address()),
			Call: func(f uintptr, v binval.Value) {
				C.ftn_reset(C.uintptr_t(f), *(*C.FutoInBinaryValue)(unsafe.Pointer(&v)))
			},
		})
	})
}

// NewRoot makes a root without steps that will live on t. It must be freed, by Free or by C. A nil t is reported by
// Execute. Any goroutine may call it.
//
//spec:ftn12 §2.2.1 newInstance, §2.7.2
func NewRoot(t tool.Tool) *Root {
	linked()
	r := new(Root)
	if t == nil {
		t = tool.NewManual(tool.Options{}) // never driven
		r.bad = fault.New(fault.InvalidRequest, "NewRoot: the loop is nil")
	}
	newPeer(t).begin(r, t)
	r.peer.setPhase(C.FTN_BUILDING)
	return r
}

// begin makes p the peer of r, which is new or was freed. The pointer is void until the caller sets the phase.
func (p *peer) begin(r *Root, t tool.Tool) {
	r.run.Init(t)
	r.peer, r.done, r.unhandled, r.executes, r.freed, r.ended = p, nil, 0, false, false, false
	p.root.Store(r)
	p.c.flow = C.ptrdiff_t(r.run.Flow())
}

// Binary returns the FutoInAsyncSteps* of the root, which is valid until the root is freed. While the root doesn't
// execute, one thread at a time may use it.
//
//spec:ftn12 §2.2.1 binary, §2.7.2
func (r *Root) Binary() unsafe.Pointer { return r.peer.binary() }

// Steps returns the root for [Add]. It is valid as long as the pointer of Binary.
func (r *Root) Steps() Steps { return Steps{r.Binary()} }

// Execute queues the run on its loop. done is called there, once, with nil for success or with the run's error, which is a
// fault.Cancelled if it was cancelled. done may be nil. Execute fails with InternalError while the root executes and after Free,
// with InvalidRequest if the loop of NewRoot was nil, and with the loop's error after its shutdown; done isn't called then. Once
// done is called the root may be given steps and executed again, also by done. Any goroutine may call it.
//
//spec:ftn12 §2.2.3 execute; rules B12, E7
func (r *Root) Execute(done func(error)) error {
	return r.execute(func() { r.done = done })
}

// execute queues the run. It calls hears, which sets done or unhandled, after the checks.
func (r *Root) execute(hears func()) error {
	if err := r.starts(); err != nil {
		return err
	}
	hears()
	r.peer.setPhase(C.FTN_GOING)
	begun := false
	defer func() { // also if a cleanup of a value that the root was given has ended the goroutine
		if !begun {
			r.tells()
			r.end()
		}
	}()
	r.peer.replay(r.run.Top(), nil)
	r.run.SetVars(r.vars.all())
	if err := r.run.Execute((*rootOwner)(r)); err != nil {
		return err
	}
	begun = true
	r.mu.Lock()
	freed := r.freed
	r.mu.Unlock()
	if freed { // Free may have called Cancel before there was a run
		r.run.Cancel(nil)
	}
	return nil
}

var errFreed = fault.New(fault.InternalError, "the root was freed")

// starts returns an error if the root can't be executed now. Otherwise it prepares the root for a run: until tells is called, no other call
// of starts succeeds, and Free only cancels the run.
func (r *Root) starts() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.bad != nil:
		return r.bad
	case r.freed:
		return errFreed
	case r.executes:
		return dyn.ErrTwice
	case r.ended && !r.peer.reclaim(): // C has freed the root meanwhile
		return errFreed
	}
	r.executes, r.ended = true, false
	return nil
}

type rootOwner Root

// Ended implements dyn.Owner.
func (o *rootOwner) Ended(err error, cancelled bool) {
	r := (*Root)(o)
	defer r.end() // also if done or unhandled panics
	done, unhandled, data := r.tells()
	if done != nil {
		done(err)
	}
	if !cancelled {
		r.peer.failed(err, unhandled, data)
	}
}

// tells returns the functions to call at the end of the run, and clears their fields. From now on the pointer takes steps for
// another run, unless the root was freed.
func (r *Root) tells() (done func(error), unhandled, data C.uintptr_t) {
	r.mu.Lock()
	defer r.mu.Unlock()
	done, unhandled, data = r.done, r.unhandled, r.data
	r.done, r.unhandled, r.data, r.executes = nil, 0, 0, false
	if !r.freed {
		r.peer.setPhase(C.FTN_BUILDING)
	}
	return done, unhandled, data
}

// failed reports err to C: it calls unhandled with the code of err. It does nothing if unhandled is 0 or err is nil.
func (p *peer) failed(err error, unhandled, data C.uintptr_t) {
	if err == nil || unhandled == 0 {
		return
	}
	word := lend(fault.CodeOf(err).Error()) // not in p's own memory: unhandled may execute the root again
	defer C.ftn_free(word)
	call(func() { C.ftn_ended(p.c, unhandled, data, word) }, abandonCallback)
}

// Cancel asks the run to end: hooks and cleanups run, handlers don't. It does nothing before Execute and after the end.
// Any goroutine may call it.
//
//spec:ftn12 §2.2.3 cancel; rule C1
func (r *Root) Cancel() { r.run.Cancel(nil) }

// Free ends the use of the root and voids its pointer. A run that is executing is cancelled, and the pointer becomes void when the run
// has ended. Free reports false if the root was freed before. Any goroutine may call it.
//
//spec:rule B4
func (r *Root) Free() bool {
	r.mu.Lock()
	if r.freed || r.ended && !r.peer.reclaim() {
		r.mu.Unlock()
		return false
	}
	r.freed = true
	made := r.run.Made() && !r.executes
	r.ended = r.ended || made
	leaves := r.ended
	r.mu.Unlock() // before anything is dropped, because its cleanups may call the table
	if !leaves {
		r.run.Cancel(nil)
		return true
	}
	defer r.leave() // deferred, as Drop is, because a cleanup may end the goroutine
	if made {
		r.peer.passes(C.FTN_BUILDING, C.FTN_GOING) // so that cleanups can't add steps meanwhile
		defer r.run.Drop()
		r.peer.replay(r.run.Top(), nil) // so that Drop also drops what the recorded calls add
	}
	return true
}

// reclaim keeps C from voiding the pointer of a root that has ended, so that Leave voids it. It reports false if C has voided it
// already.
func (p *peer) reclaim() bool {
	switch p.phase() {
	case C.FTN_OVER:
		return p.passes(C.FTN_OVER, C.FTN_GOING)
	case C.FTN_FREE:
		return false
	default: // there is something to clean up, so C doesn't void the pointer
		return true
	}
}

// cleans keeps C from freeing a root that is over, because Go has to clean something up.
func (p *peer) cleans() {
	if p.phase() == C.FTN_OVER {
		p.passes(C.FTN_OVER, C.FTN_BUILDING)
	}
}

// discard completes a call of free that C has kept.
func (r *Root) discard() {
	r.mu.Lock()
	r.freed = true
	r.mu.Unlock()
	from := r.from
	r.leave()
	if from != nil {
		from.prepare()
	}
}

// end records that the run has ended, and voids the pointer if the root was freed. It does nothing if done or unhandled has executed the
// root again.
func (r *Root) end() {
	r.mu.Lock()
	if r.executes {
		r.mu.Unlock()
		return
	}
	r.ended = true
	leaves := r.freed
	if !leaves && r.vars.none() {
		r.peer.passes(C.FTN_BUILDING, C.FTN_OVER)
	}
	r.mu.Unlock()
	if leaves {
		r.leave()
	}
}

// leave drops the state variables and voids the pointer. Free, end or discard calls it, once for each use of the root. Panics of
// cleanups are reported to the loop, because the caller may be C.
func (r *Root) leave() {
	p := r.peer
	defer p.Leave() // also if a cleanup ends the goroutine
	r.vars.drop()
	if p.phase() != C.FTN_FREE {
		p.setPhase(C.FTN_FREE)
		p.unstack(p.host())
	}
}

// store returns the state variables that C sees now: those of the run while it executes, otherwise those of the root.
func (r *Root) store() store {
	if vars := r.run.Vars(); vars != nil {
		return vars
	}
	return &r.vars
}
