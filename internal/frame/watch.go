package frame

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

// Watch is told of the events in one run, on the loop. [Refused] calls it on the goroutine of the caller.
type Watch func(Event)

// Event is one thing that happened. Frame may be used only until the Watch returns: then the frame goes on to other steps.
type Event struct {
	Kind     EventKind
	Outcome  fault.Outcome // of Handled
	At       time.Duration // since the run was made, by the loop's clock
	Frame    *Frame        // the event is about its current step; nil if it is about the run
	Err      error
	Note     string    // of GuardChanged
	Progress *Progress // of Progressed
}

// EventKind is the kind of an event.
type EventKind uint8

const (
	StepStart    EventKind = iota // the body is about to be called
	StepEnd                       // the step has ended; Err is nil if it succeeded or a jump has left it
	Raised                        // Err was raised at the step
	Handled                       // the step's handler was given Err
	Suspended                     // the step waits for something outside to complete it
	Queued                        // the step waits for a guard to let it in
	GuardChanged                  // the guard of the step's section has changed, as Note says
	Progressed                    // Progress has new counts of the stream that the step runs
	Resumed                       // the wait after Suspended or Queued was completed
	TimedOut                      // the limit of the step, or the grace of its shield, has passed; without Frame: the deadline of the context
	Cancelled                     // the run is being cancelled because of Err
	RunEnd                        // the run has ended with Err; nil if it has a value
)

type watcher struct {
	watch Watch
	since time.Duration
}

// observe makes the run an observed one. An observed run needs its loop at once: for
// the clock, and for reports of panics in watch.
func (r *Run) observe(watch Watch) {
	r.errors().watcher, r.watched = &watcher{watch, r.Host().Now()}, true
	r.beforeSteps = true
}

// Watch returns the watch of the run; nil if the run isn't observed.
func (r *Run) Watch() Watch {
	if !r.watched {
		return nil
	}
	return r.record.watcher.watch
}

// beforeStep tells the loop, if it wants to know, and the observer that the body of the current step of f is about to
// be called.
func (r *Run) beforeStep(f *Frame) {
	if at := r.host.Turn().At; at != nil {
		at(f.Info())
	}
	if r.watched && !f.level.Lane {
		f.mark(observed)
		r.publish(StepStart, f, nil)
	}
}

func (r *Run) publish(kind EventKind, f *Frame, err error) {
	if r.watched {
		r.publishEvent(Event{Kind: kind, Frame: f, Err: err})
	}
}

// publishEnd reports the end of the current step of f, once: the Watch may end the
// goroutine, and the machine then comes here again.
func (r *Run) publishEnd(f *Frame, err error) {
	if f.bits&observed != 0 {
		f.unmark(observed)
		r.callWatch(Event{Kind: StepEnd, Frame: f, Err: err})
	}
}

// publishEvent tells the Watch of e, unless e is about a step that isn't observed.
func (r *Run) publishEvent(e Event) {
	if e.Frame == nil || e.Frame.bits&observed != 0 {
		r.callWatch(e)
	}
}

// callWatch calls the Watch. A panic there is reported to the loop. Goexit ends the goroutine, and the machine continues in the
// next turn. For Resumed and the kinds after it the machine has made its move already; for the others the Goexit counts as a
// Goexit of the step's code.
func (r *Run) callWatch(e Event) {
	w, host := r.record.watcher, r.Host()
	e.At = host.Now() - w.since
	doing := r.doing
	r.doing, r.ahead = watching, e.Kind >= Resumed
	defer func() { r.doing = doing }()
	host.Call(func() { w.watch(e) })
	r.ahead = false // not after Goexit
}

func (r *Run) publishWaiting(f *Frame) {
	if f.wait.guard {
		r.publish(Queued, f, nil)
		return
	}
	r.publish(Suspended, f, nil)
}

// Dropped reports whether the current step, which is being left, is cancelled: the error that ends it is none of its own.
func (f *Frame) Dropped() bool { return f.fiber.mode == dropping }

// Op returns the op of the current step.
func (f *Frame) Op() Op { return f.level.Ops[f.pc] }

// Refused tells watch, on the calling goroutine, of the end of a run that could not be started. watch may be nil.
func Refused(host *tool.Host, watch Watch, err error) {
	if watch != nil {
		host.Call(func() { watch(Event{Kind: RunEnd, Err: err}) })
	}
}

func (r *Run) publishHandled(f *Frame, outcome fault.Outcome, err error) {
	if r.watched {
		r.publishEvent(Event{Kind: Handled, Outcome: outcome, Frame: f, Err: err})
	}
}

// ReportGuard tells the observer of the run, if there is one, that a guard has changed. what names the guard and its new state.
// ReportGuard is called on the loop of the run.
func (f *Frame) ReportGuard(what string) {
	if r := f.Run(); r.watched {
		r.publishEvent(Event{Kind: GuardChanged, Frame: f, Note: what})
	}
}

// Progress tells how far the stages of a stream are. It is immutable.
type Progress struct {
	Stages []StageProgress // in the order in which they were opened; the sink comes last
	Last   bool            // the stream has ended
}

// StageProgress tells how far one stage is. The counts are of elements since the stream began.
type StageProgress struct {
	Path, Kind, Name string
	In, Out          int64
	Dead             int64 // failed, and their letters were taken by a Catch
	Failed           int64 // failed, and the stream with them
	Lost             int64 // held when the stream ended
	Held             int64
	Rate             float64 // elements per second, of Out or, for the sink, of In: since the previous event, or in all if Last
}

// Observed reports whether an observer of the run is told of the current step of f.
func (f *Frame) Observed() bool { return f.bits&observed != 0 }

// ReportProgress tells the observer of the run, if there is one, how far the stream is that the current step of f runs.
// ReportProgress is called on the loop of the run.
func (f *Frame) ReportProgress(p *Progress) {
	if r := f.Run(); r.watched {
		r.publishEvent(Event{Kind: Progressed, Frame: f, Progress: p})
	}
}
