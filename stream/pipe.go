package stream

import (
	"strconv"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// unit is what steps give that are run for their effect.
type unit = struct{}

// pipe is one run of a stream. What isn't said to be otherwise is for the run's loop.
//
// Elements are pulled. The driver asks the sink to pump; the sink polls the stage before
// it, that one polls the one before it, and so on: each holds a chunk at most. If there
// is nothing to do the driver parks until something wakes the pipe: a lane that has
// finished an element, a timer, a goroutine.
type pipe struct {
	loop   tool.Tool
	path   string // of the step that runs the stream
	over   bool   // the sink has all that it wants
	tasks  []task // what runs beside the driver, until that has ended
	stages int    // how many stages have been opened

	ready  bool   // woken since the last pump began
	waits  bool   // the driver is parked
	resume func() // ends that

	posted atomic.Bool // onPost is queued; any goroutine
	onPost func()

	refusals []error // of Catch handlers, while the stream was closed
}

// task is something that runs beside the driver: a lane, or a goroutine.
type task interface {
	begin(as step.Scope) step.Next[unit]
}

// wake makes the driver pump again.
func (p *pipe) wake() {
	p.ready = true
	if p.waits {
		p.waits = false
		p.resume()
	}
}

// post is wake for other goroutines.
func (p *pipe) post() {
	if p.posted.CompareAndSwap(false, true) {
		_, _ = p.loop.Immediate(p.onPost) // a loop that takes no more work needs no waking
	}
}

func (p *pipe) posting() {
	p.posted.Store(false)
	p.wake()
}

// refused keeps the error that a Catch answers with when nobody can take it any more.
func (p *pipe) refused(err error) {
	if len(p.refusals) < 32 {
		p.refusals = append(p.refusals, err)
	}
}

// env is what a stage knows about where it stands.
type env struct {
	p     *pipe
	path  string                // of the stage
	dead  func(err error) error // the nearest Catch behind it; nil if there is none
	meter *metered              // the Measures behind it; nil if there are none
}

// at is e for the next stage to be opened.
func (e env) at(kind string) env {
	e.path = e.p.path + "/" + kind + "." + strconv.Itoa(e.p.stages)
	e.p.stages++
	return e
}

// metered is a list of Measures, the nearest first.
type metered struct {
	by    *Progress
	outer *metered
}

// count lets all Measures behind the stage count.
func (e env) count(add func(*Progress)) {
	for m := e.meter; m != nil; m = m.outer {
		add(m.by)
	}
}

// call calls f, which calls a function of the user's, and gives the error that it broke off with. That one names
// the stage.
func (e env) call(f func()) (err error) {
	op.Protect(f, func(broken error) {
		if broken != nil {
			err = e.broke(broken)
		}
	})
	return err
}

// broke is the error of a stage of which a function has broken off.
func (e env) broke(broken error) error {
	return fault.Wrap(fault.InternalError, "a function of the stage "+e.path+" broke off", broken)
}

// panicked is the error of an element at which a function has broken off.
func panicked(broken error) error {
	return fault.Wrap(fault.InternalError, "the function of the stage broke off", broken)
}
