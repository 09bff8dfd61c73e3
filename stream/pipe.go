package stream

import (
	"strconv"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// unit is the result of steps that have none.
type unit = struct{}

// pipe is one run of a stream, or of a branch of a Merge. Fields are written on the goroutine of the run's loop, unless
// their comment says otherwise.
//
// Elements are pulled. The driver, which is the step that moves the stream, pumps the sink, which polls the
// stage before it, and so on. If no stage has anything to do the driver waits until something wakes the pipe, such as
// a lane that has finished an element, a timer, or a goroutine.
type pipe struct {
	*trunk

	ready  bool   // wake was called after the last pump began
	waits  bool   // the driver waits, or the Merge doesn't poll this branch
	resume func() // makes the driver go on, or the Merge poll the branch again

	posted atomic.Bool // onPost is queued on the loop; used by any goroutine
	onPost func()
}

// trunk is shared by the pipes of one run of a stream: that of the driver, and those
// of the branches of a Merge.
type trunk struct {
	loop   tool.Tool
	path   string // path of the step that runs the stream
	over   bool   // pump of the sink has returned errOver
	tasks  []task // they run beside the driver until the driver has ended
	stages int    // how many stages have been opened

	last     []func() // the functions given to the method later, in their order
	refusals []error  // errors that refused has recorded

	told *reporter // nil unless somebody observes the stream
}

// task is a part of a stage that runs beside the driver: the lanes of a crew, a goroutine, or a branch of a Broadcast.
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

// post calls wake in a callback of the loop. Any goroutine may call it.
func (p *pipe) post() {
	if p.posted.CompareAndSwap(false, true) {
		_, _ = p.loop.Immediate(p.onPost) // a loop that takes no more work needs no waking
	}
}

func (p *pipe) posting() {
	p.posted.Store(false)
	p.wake()
}

// later keeps f for opened.tell, which calls it after the stages are closed. f gives a letter to its Catch, or counts a
// failure.
func (t *trunk) later(f func()) { t.last = append(t.last, f) }

// refused records an error that comes after the end of the stream, when it can only be reported: a letter that no Catch
// takes, the error of a Catch handler, or the panic of an iterator that is stopped. It keeps the first 32.
func (t *trunk) refused(err error) {
	if len(t.refusals) < 32 {
		t.refusals = append(t.refusals, err)
	}
}

// env tells a stage where it stands in its stream.
type env struct {
	p     *pipe
	path  string                // of the stage
	dead  func(err error) error // gives an error to the nearest Catch behind the stage; nil if there is none
	meter *metered              // counts the elements of the stage; nil if nobody asks for that
	tally *tally                // of the stage; nil unless somebody observes it
}

// at returns the env of a new stage, which takes elements from as many stages as takes says. These are opened already.
func (e env) at(kind string, takes int) env {
	e.path = e.p.path + "/" + kind + "." + strconv.Itoa(e.p.stages)
	e.p.stages++
	if e.p.told != nil {
		e.tally = e.p.told.add(e.path, kind, takes)
	}
	return e
}

// metered is a linked list of the Progress of each Measure behind a stage, the nearest
// first; that of a Run is last.
type metered struct {
	by    *Progress
	outer *metered
}

func (e env) count(add func(*Progress)) {
	for m := e.meter; m != nil; m = m.outer {
		add(m.by)
	}
}

// call calls f, which calls a function of the user's. If that function panics, call returns an error that names the stage. If
// the function calls runtime.Goexit, call doesn't return.
func (e env) call(f func()) (err error) {
	usercode.Protect(f, func(broken error) {
		if broken != nil {
			err = e.broke(broken)
		}
	})
	return err
}

// broke returns the error of a stage whose function has panicked or called runtime.Goexit. broken is the error of that from
// usercode.Protect.
func (e env) broke(broken error) error {
	return op.Broken("a function of the stage "+e.path, broken)
}

// late reports to the loop that a function has panicked while its stream was being left. Nobody else gets this
// error. broken may be nil. If broken stands for a runtime.Goexit, late does nothing: the step of the goroutine reports it.
func (e env) late(broken error) {
	if _, ok := fault.AsType[*fault.Panic](broken); ok {
		usercode.HostOf(e.p.loop).Report(e.broke(broken))
	}
}

// panicked returns the error of an element for which the function didn't return. broken is as for broke.
func panicked(broken error) error {
	return op.Broken("the function of the stage", broken)
}
