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

// Linger is a part of a run: a stage that is executed as a run of its own on the same loop, so that the step that waits for it
// can be left before the part has been left (P10). The run of that step, or a run around it, doesn't end before the part has
// ended, but waits at most for a grace.
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
// The goroutine of the loop owns every field. If a step of the part waits for a run of another loop, the goroutine of that loop
// may ask for the path of the part and for the flow of its step: it reads frame and left under mu, and Leave changes them under
// mu.
type Linger struct {
	mu    sync.Mutex
	grace time.Duration
	part  *Run   // the run that executes the stage; nil once it has ended
	host  *Run   // the run that waits for the part: that of the step, or one around it after handOn; nil once the part is left behind
	frame *Frame // the frame whose current step waits for the part; nil once the step was left
	timer tool.Handle
	left  leftStep

	prev, next *Linger // its neighbours in the list of host
}

// leftStep holds what a part needs to know of its step once the step was left, and its frame is gone.
type leftStep struct {
	info   *site.Info
	path   string
	around Around
	saga   bool // the step was in a saga
}

// Begin starts the part of the current step of f: a run that executes the given activation. grace must be positive. owner must
// embed l. It is told of the end of the part, and has to call Join then. No step of the part runs before Begin returns. If the
// loop takes no more work, Begin returns its error, and owner isn't told.
func (l *Linger) Begin(f *Frame, in *Activation, grace time.Duration, owner Owner) error {
	host := f.fiber.run
	t := host.Tool()
	part := NewRun(in, &Config{Context: Inherited{f.Outer()}, Owner: owner})
	loop, seat := host.loop, host.loop.Seat()
	if _, adapted := loop.(*adapter); adapted {
		loop = nil
	}
	part.moveInto(t, loop, seat)
	part.eager, part.bound = host.eager, host.bound
	part.beforeSteps, part.narrow = host.beforeSteps, host.narrow
	part.borrow(host)
	if host.watched {
		part.record.watcher, part.watched = &watcher{l.watch, host.record.watcher.since}, true
	}
	part.alert.Store(first)
	if err := part.loop.PostHere(&part.here); err != nil {
		part.unborrow()
		part.Recycle()
		return err
	}
	l.grace, l.part, l.host, l.frame = grace, part, host, f
	host.parting(l)
	return nil
}

// Leave cancels the part, because the step that waits for it is left. saga is true if the step is in a saga. From here on the
// part has a last error (E3) of its own.
func (l *Linger) Leave(cause error, saga bool) {
	f := l.frame
	l.part.record.last = l.part.Last()
	left := leftStep{info: f.Info(), path: f.Path(), around: f.Around(), saga: saga || f.LostSaga()}
	l.mu.Lock() // waits for goroutines that make a path through f
	l.left, l.frame = left, nil
	c := l.part.main.claims
	l.mu.Unlock()
	if c != nil {
		c.Of.Cut() // waits for a search for deadlocks that looks at the step
	}
	l.part.CancelInner(cause, f.LeftByLimit())
	l.part.halt(cause)
	h, err := l.host.Tool().Deferred(l.grace, l.forsake)
	if err != nil { // the loop takes no more work, so it can't wait for the part
		r := l.host
		l.host = nil
		r.parted(l)
		host := r.host // read now, because the run may end before the function is called
		usercode.Elsewhere(func() { host.Report(err) })
		return
	}
	l.timer = h
}

// halt keeps r and its parts from beginning steps, except in a shield, until r takes the turn in which it is left: other runs
// of the loop may take their turns before that turn.
func (r *Run) halt(cause error) {
	if r.inTurn {
		return // the turn looks at the cancel before the next step
	}
	if f := r.main.top; f != nil && f.wait != nil {
		f.wait.seal(cause)
	}
	r.setAside() // the fiber that goes next goes back into the queue, so that freeze finds it there
	r.freeze(&r.main, cause)
}

// Join gives back the memory of the part, which has ended. host is the run that waits for the part, nil if none does any
// more. waits reports whether the step still waits: then the caller completes its wait and calls the Turn of
// host.
func (l *Linger) Join(part *Run) (host *Run, waits bool) {
	host, l.part = l.host, nil
	waits = l.frame != nil
	var broken []error
	if !waits {
		broken = part.defects()
	}
	if host != nil {
		host.record.forsaken = host.record.forsaken || part.record.forsaken
	}
	t, at := part.tool, part.host
	part.unborrow()
	part.Recycle()
	if l.timer != 0 {
		t.Cancel(l.timer)
	}
	if host != nil {
		host.parted(l)
	}
	if len(broken) > 0 {
		defer reportAll(at, broken)
	}
	return host, waits
}

// forsake ends the grace of the part: the run that waits for the part goes on without it.
func (l *Linger) forsake() {
	l.timer = 0
	host, part := l.host, l.part
	l.host = nil
	at := part.host
	_ = at.AttachFor(&part.registration, at) // fails if the loop has stopped its runs: then the loop doesn't wait for the part either
	host.record.forsaken = true
	host.parted(l)
	at.Report(l.left.behind(l.grace)) // last: it may end the goroutine
}

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

// Attempt returns the number of the attempt of the nearest retry around the step of the part, see [Guest].
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

// path returns the path of the step of the part. Any goroutine may call it until the part has
// ended: the step can't be left while mu is held.
func (l *Linger) path() string {
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

// LostSaga reports whether f is in a part, at any depth, whose step was left while a saga was around the step: that
// saga no longer learns of effects in f.
func (f *Frame) LostSaga() bool {
	l := f.Run().lingers()
	for l != nil && l.frame != nil {
		l = l.frame.Run().lingers()
	}
	return l != nil && l.left.saga
}

// lingers returns the Linger whose part r is; nil if r isn't a part. Goroutines of other loops call it too, while steps of r
// wait for runs there, so it looks only at the owner, which doesn't change during the run.
func (r *Run) lingers() *Linger {
	if l, ok := r.owner.(interface{ itself() *Linger }); ok {
		return l.itself()
	}
	return nil
}

func (l *Linger) itself() *Linger { return l }

// Inherited is the context of a run that a step of another run waits for. It has the values and the deadline of the context of
// that step. It doesn't end when that context ends, because the step cancels the run.
type Inherited struct{ context.Context }

// Done implements [context.Context].
func (Inherited) Done() <-chan struct{} { return nil }

// Err implements [context.Context].
func (Inherited) Err() error { return nil }
