package frame

import (
	"context"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/site"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool"
)

// Linger is a part of a run: a stage that is a run of its own on the same loop, so that the step
// that waits for it can be left while the part is being left still (P10). The run of the step
// doesn't end before that, or before a grace is over.
//
//	         Begin             the part has ended
//	zero ─────────▶ waited for ─────────────────────▶ over
//	                    │ Leave                        ▲ ▲
//	                    ▼       the part has ended     │ │
//	                lingering ─────────────────────────┘ │
//	                    │ the grace is over              │
//	                    ▼       the part has ended       │
//	               left behind ──────────────────────────┘
//
// The goroutine of the loop owns every field. A run of another loop that a step of the part waits
// for asks for the place of the part too, and for the flow of its step: it reads frame and left under mu, and they
// change under mu.
type Linger struct {
	mu    sync.Mutex
	grace time.Duration
	part  *Run   // executes the stage; nil once it has ended
	host  *Run   // the run of the step; nil once its end doesn't wait for the part any more
	frame *Frame // whose current step waits for the part; nil once that has been left
	timer tool.Handle
	left  leftStep

	prev, next *Linger // its neighbours in the list of host
}

// leftStep holds what a part needs to know of its step after the step was left, when its frame is gone.
type leftStep struct {
	info   *site.Info
	path   string
	around Around
	saga   bool // the step was in a saga
}

// Begin starts in as the part of the current step of f, within a grace that is positive. owner
// is told of its end, and has to call Join then. No step of the part runs before Begin returns.
func (l *Linger) Begin(f *Frame, in *Activation, grace time.Duration, owner Owner) error {
	host := f.fiber.run
	t := host.Tool()
	part := NewRun(in, &Config{Context: Inherited{f.Outer()}, Owner: owner})
	loop, seat := host.loop, host.loop.Seat()
	if _, adapted := loop.(*foreign); adapted {
		loop = nil
	}
	part.dwell(t, loop, seat)
	part.eager = host.eager
	part.beforeSteps, part.narrow = host.beforeSteps, host.narrow
	part.borrow(host)
	if host.watched {
		part.record.watcher, part.watched = &watcher{l.watch, host.record.watcher.since}, true
	}
	part.signal.Store(first)
	if err := part.loop.PostHere(&part.here); err != nil {
		part.unborrow()
		part.Recycle()
		return err
	}
	l.grace, l.part, l.host, l.frame = grace, part, host, f
	host.parting(l)
	return nil
}

// Leave cancels the part, because the step that waits for it is left. saga is true if the step is in a saga.
func (l *Linger) Leave(cause error, saga bool) {
	f := l.frame
	left := leftStep{info: f.Info(), path: f.Path(), around: f.Around(), saga: saga || f.LostSaga()}
	l.mu.Lock() // whoever makes a path through f is done with it
	l.left, l.frame = left, nil
	c := l.part.main.claims
	l.mu.Unlock()
	if c != nil {
		c.Of.Cut() // whoever looks for flows that wait for each other is done with the step
	}
	l.part.Cancel(cause)
	l.part.halt(cause)
	h, err := l.host.Tool().Deferred(l.grace, l.forsake)
	if err != nil { // the loop takes no more work, so it can't wait for the part
		r := l.host
		l.host = nil
		r.parted(l)
		host := r.host // now: the run may end before the function is called
		usercode.Elsewhere(func() { host.Report(err) })
		return
	}
	l.timer = h
}

// halt keeps the steps of r from beginning, and those of its own parts, until r takes its turn and is left: other runs
// of the loop may take theirs before.
func (r *Run) halt(cause error) {
	if r.inTurn {
		return // it looks at the cancel before the next step
	}
	if f := r.main.top; f != nil && f.wait != nil {
		f.wait.seal(cause)
	}
	r.setAside() // a branch that has yielded is frozen in the queue
	r.freeze(&r.main, cause)
}

// Join ends the use of the part, which has ended: its memory is given back. It reports whether
// the step still waits; then the caller completes the wait and calls the Turn of host.
func (l *Linger) Join(part *Run) (host *Run, waits bool) {
	host, l.part = l.host, nil
	waits = l.frame != nil
	var broken []error
	if !waits {
		broken = part.defects()
	}
	if host != nil {
		host.recall(part, waits)
	}
	t := part.tool
	part.unborrow()
	part.Recycle()
	if l.timer != 0 {
		t.Cancel(l.timer)
	}
	if host != nil {
		host.parted(l)
	}
	if len(broken) > 0 {
		defer reportAll(t.Host(), broken)
	}
	return host, waits
}

// forsake ends the grace of the part: the run of its step goes on, and ends, without it.
func (l *Linger) forsake() {
	l.timer = 0
	host, part := l.host, l.part
	l.host = nil
	t := part.tool
	_ = t.Host().Attach(&part.registration) // an error: the loop is being shut down, and doesn't wait for the part either
	host.record.forsaken = true
	host.parted(l)
	t.Host().Report(l.left.behind(l.grace)) // last: it may end the goroutine
}

// behind is the error of a part that lingers beyond its grace.
func (s leftStep) behind(grace time.Duration) error {
	what := s.path
	if s.info.Name != "" {
		what += " " + s.info.Name
	}
	return &fault.Error{
		Code: fault.InternalError, Info: "step " + what + " was left, lingers longer than " + grace.String() + ", and is left behind",
		Path: s.path, Name: s.info.Called(), Site: s.info.Site(),
	}
}

// parting records that the end of r has to wait for the part of l.
func (r *Run) parting(l *Linger) {
	k := r.record
	l.next = k.part
	if l.next != nil {
		l.next.prev = l
	}
	k.part = l
}

// parted records that the end of r needn't wait for the part of l any more.
func (r *Run) parted(l *Linger) {
	k := r.record
	if l.prev == nil {
		k.part = l.next
	} else {
		l.prev.next = l.next
	}
	if l.next != nil {
		l.next.prev = l.prev
	}
	l.prev, l.next = nil, nil
	if k.part == nil && r.doing == remaining && !r.here.Queued() {
		r.enqueueHere()
	}
}

// handOn gives the parts that r, a part, has still to wait for to the run around it, because the step that waits for r
// goes on at its end (P10). It reports false if no step waits for r, as a part or at all.
func (r *Run) handOn() bool {
	l := r.lingers()
	if l == nil || l.frame == nil || l.host == nil {
		return false
	}
	for x := r.record.part; x != nil; x = r.record.part {
		r.record.part = x.next
		x.prev, x.host = nil, l.host
		l.host.parting(x)
	}
	return true
}

// executing returns the run whose code is executing: r, a run that it is a part of, or one of their parts that weren't
// left behind; nil if it is none of these. To users they are one run.
func (r *Run) executing() *Run {
	if r.inTurn {
		return r
	}
	for l := r.lingers(); l != nil && l.host != nil; l = r.lingers() {
		r = l.host
	}
	return r.executingInside()
}

// executingInside is executing for r and its parts.
func (r *Run) executingInside() *Run {
	if r.inTurn {
		return r
	}
	if r.record == nil {
		return nil
	}
	for l := r.record.part; l != nil; l = l.next {
		if e := l.part.executingInside(); e != nil {
			return e
		}
	}
	return nil
}

// watch tells the observer of the host what happens in the part: both are one run for it.
func (l *Linger) watch(e Event) {
	if e.Frame != nil && l.host != nil {
		l.host.record.watcher.watch(e)
	}
}

// borrow makes r use the state of host, and go on with its last error.
func (r *Run) borrow(host *Run) {
	k := host.errors()
	if k.vars == nil {
		k.vars = make(vars)
	}
	k.lent = true
	r.errors().vars, r.record.last = k.vars, k.last
}

// unborrow ends the use of the state of another run, see borrow.
func (r *Run) unborrow() { r.record.vars = nil }

// recall makes the error that part has raised last the last one of r.
func (r *Run) recall(part *Run, waits bool) {
	if last := part.Last(); waits && last != nil {
		r.record.last = last
	}
	r.record.forsaken = r.record.forsaken || part.record.forsaken
}

// Attempt returns which attempt of the nearest retry around the step the part is, see [Guest].
func (l *Linger) Attempt() (n, most int) {
	if l.frame != nil {
		return l.frame.Attempt()
	}
	return l.left.around.Attempt()
}

// Grace returns the grace that is set around the step, see [Guest].
func (l *Linger) Grace() (d time.Duration, set bool) {
	if l.frame != nil {
		return l.frame.graceAround()
	}
	return l.left.around.Grace()
}

// place returns the path of the step of the part. Any goroutine may call it until the part has
// ended: f can't be left while mu is held.
func (l *Linger) place() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.frame != nil {
		return l.frame.Path()
	}
	return l.left.path
}

// flow returns the flow of the step that waits for the part; nil if none does any more. Any goroutine may call it
// until the part has ended.
func (l *Linger) flow() *Fiber {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.frame == nil {
		return nil
	}
	return l.frame.Flow()
}

// Within returns the frame of the step that waits for the part; nil if none does any more.
func (l *Linger) Within() *Frame { return l.frame }

// LostSaga reports whether the step that waits for the run of f, a part, or for one that this is a part of, was left
// while a saga was around it, which doesn't hear any more of what is done in f.
func (f *Frame) LostSaga() bool {
	l := f.Run().lingers()
	for l != nil && l.frame != nil {
		l = l.frame.Run().lingers()
	}
	return l != nil && l.left.saga
}

// defects returns what has gone wrong in r, which has ended, and has to be reported because the
// error of r gets lost.
func (r *Run) defects() []error {
	var broken []error
	e, ok := r.Result().(*fault.Error)
	if !ok {
		return nil
	}
	if cause, ok := e.Cause.(*fault.Error); ok && e.Code != fault.Cancelled { // the cause of a cancel is no defect of r
		if _, panicked := cause.Cause.(*fault.Panic); panicked || cause.Cause == usercode.ErrGoexit {
			broken = append(broken, e)
		}
	}
	if r.main.unwinding != nil && r.main.trace != nil {
		broken = append(broken, r.main.trace.defects...)
	}
	return broken
}

// lingers returns the Linger whose part r is; nil if r is no part. Runs of other loops that steps of
// r wait for call it too, so it looks only at the owner, which doesn't change during the run.
func (r *Run) lingers() *Linger {
	if l, ok := r.owner.(interface{ itself() *Linger }); ok {
		return l.itself()
	}
	return nil
}

func (l *Linger) itself() *Linger { return l }

// Forsaken reports whether a part of r, or of a part of it, has lingered beyond its grace: it may still be on
// the loop.
func (r *Run) Forsaken() bool { return r.record != nil && r.record.forsaken }

// mayNotYield reports whether r must go on with its turn, because it has parts (or is one) and one of its fibers is
// leaving or undoing: what happens in the other runs must not come between either (O7).
func (r *Run) mayNotYield() bool {
	if k := r.record; k == nil || k.part == nil && r.lingers() == nil || !r.anyOn(leaving) && !r.anyOn(undoing) {
		return false
	}
	r.grant(1)
	return true
}

// Inherited is the context of a run that a step of another run waits for: it has the values and the
// deadline of the context of that step, and doesn't end with it, because the step cancels the run.
type Inherited struct{ context.Context }

// Done implements [context.Context].
func (Inherited) Done() <-chan struct{} { return nil }

// Err implements [context.Context].
func (Inherited) Err() error { return nil }
