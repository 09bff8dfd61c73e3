package storm_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
)

// tok is the value that goes through a plan. It is copied to all branches.
type tok struct {
	life  *life
	scope *scope // innermost step around whose end is noted
	saga  *saga  // innermost saga around
	exec  *exec  // the stream that is being opened
	asked time.Time
}

const (
	errStorm  = fault.Code("Storm")
	errCancel = fault.Code("StormCancel")
	thrown    = "thrown by the storm"
)

// A life is the state of one run as the world sees it.
type life struct {
	arena    *arena
	number   uint64
	run      *flow.Running[tok]
	started  chan struct{} // closed when run is set
	told     chan struct{} // closed when Then has got the result
	outer    *life         // of the run that has started this one
	limited  bool          // begin has given its context a deadline
	accepted atomic.Bool   // a Cancel has reported true
	over     atomic.Bool
	ends     atomic.Int32
	out      tok
	err      error

	given           int64 // fuel at the beginning
	fuel            atomic.Int64
	opened, cleaned atomic.Int64
	visits          []atomic.Uint32
	mu              sync.Mutex
	effects         []*effect
	resources       []*resource
	sagas           []*saga
	execs           []*exec
	closers         []func()
	unended         atomic.Int64 // runs of which an observer was told the beginning, but not the end
}

// A scope is a step whose end is noted by the step behind it or by a handler.
type scope struct {
	outer *scope
	node  *node
	over  atomic.Bool
}

// A saga is one execution of a flow.Saga.
type saga struct {
	node              *node
	outer             *saga
	before            *saga // saga that the token had before and gets back, also where outer is nil, as in an On
	scope             *scope
	root              bool        // the run ends with it
	succeeded, failed atomic.Bool // the step behind it has begun; a handler was asked
}

func (s *saga) outermost() *saga {
	for s.outer != nil {
		s = s.outer
	}
	return s
}

// An effect is the effect of one Undo.
type effect struct {
	tok
	node   *node
	linger bool // in a Linger, which undoes it by itself when it was left
	undone atomic.Int32
}

type resource struct {
	tok
	node     *node
	released atomic.Int32
}

func (l *life) wrong(law, format string, args ...any) {
	l.arena.wrong(law, fmt.Sprintf("run %d: ", l.number)+format, args...)
}

// roll returns a random number that depends on the seed, the run, the node and the number of the roll there.
func (l *life) roll(n *node) uint64 {
	visit := uint64(0)
	if n.id < len(l.visits) {
		visit = uint64(l.visits[n.id].Add(1))
	}
	return mix(mix(mix(l.arena.seed^l.number)^uint64(n.id)) ^ visit)
}

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// spent takes some fuel of the run, and reports whether it was used up already.
func (l *life) spent() bool { return l.fuel.Add(-1) < 0 }

func (t tok) begin(n *node, at place) {
	if t.life.over.Load() {
		t.life.wrong("after the end", "a body of %s #%d begins after the end of its run", n.kind.name, n.id)
	}
	if at.late {
		return
	}
	for s := t.scope; s != nil; s = s.outer {
		if s.over.Load() {
			t.life.wrong("after the step", "a body of %s #%d begins after the end of %s #%d around it", n.kind.name, n.id, s.node.kind.name, s.node.id)
		}
	}
}

// moods are the fates that bodies of a node draw from.
var moods = [][4]fate{
	{fine, fine, fine, fine}, {fine, fine, fine, fine}, {fine, fine, fine, fine}, {fine, fine, fine, fine}, {fine, fine, fine, fine},
	{fine, fine, fine, fails}, {fine, fails, fails, fails}, {panics, fine, fine, fine}, {exits, fine, fine, fine}, {fine, fails, panics, exits},
}

type fate int

const (
	fine fate = iota
	fails
	panics
	exits
)

// act is the body of a node. It may take a moment and fail in some way.
func (t tok) act(n *node, at place) error {
	t.begin(n, at)
	if t.life.spent() {
		return nil
	}
	r := t.life.roll(n)
	switch r % 32 {
	case 0:
		spin(time.Duration(r>>8%300) * time.Microsecond)
	case 1, 2, 3:
		runtime.Gosched()
	}
	return fated(moods[n.n[0]%len(moods)][r>>32%4])
}

func (t tok) works(n *node) error {
	t.begin(n, place{late: true}) // may be called as long as the stream moves
	if t.life.spent() {
		return nil
	}
	return fated(moods[n.n[0]%len(moods)][t.life.roll(n)>>32%4])
}

// slip fails now and then. Functions of streams call it.
func (t tok) slip(n *node) {
	unpleasant(t.life.roll(n))
}

func fated(f fate) error {
	switch f {
	case fails:
		return errStorm
	case panics:
		panic(thrown)
	case exits:
		runtime.Goexit()
	}
	return nil
}

func spin(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		runtime.Gosched()
	}
}

func (l *life) cancel() {
	<-l.started
	if l.run.Cancel(errCancel) {
		l.accepted.Store(true)
	}
}

func (l *life) ended(out tok, err error) {
	l.over.Store(true)
	l.out, l.err = out, err
	if l.ends.Add(1) != 1 {
		l.wrong("once", "the result is delivered twice")
		return
	}
	close(l.told)
}

func (l *life) check() {
	if l.ends.Load() != 1 {
		l.wrong("once", "the result was delivered %d times", l.ends.Load())
		return
	}
	out, err := l.run.Result()
	switch {
	case (err == nil) != (l.err == nil) || out.life != l.out.life:
		l.wrong("once", "Result gives %v, Then got %v", err, l.err)
	case err == nil && out.life != l:
		l.wrong("result", "the result is of another run")
	case err == nil && l.accepted.Load():
		l.wrong("accepted", "a cancel was accepted, and the run has succeeded")
	}
	if code := fault.CodeOf(err); l.accepted.Load() && code != fault.Cancelled && (!l.limited || code != fault.Timeout) {
		l.wrong("accepted", "a cancel was accepted, and the run has ended with %v", err)
	}
	l.arena.judge(err, l)
	if a, b := l.opened.Load(), l.cleaned.Load(); a != b {
		l.wrong("cleanup", "%d cleanups were set, %d have run", a, b)
	}
	if l.unended.Load() != 0 {
		l.wrong("observer", "observers weren't told of the end of %d runs", l.unended.Load())
	}
	for _, r := range l.resources {
		if n := r.released.Load(); n != 1 {
			l.wrong("release", "what %s #%d acquired was released %d times", r.node.kind.name, r.node.id, n)
		}
	}
	for _, s := range l.sagas {
		l.whole(s, err)
	}
	for _, x := range l.execs {
		x.heard(err)
	}
}

// whole checks that either all or none of a saga's effects are undone.
func (l *life) whole(s *saga, err error) {
	kept, undone := 0, 0
	for _, e := range l.effects {
		n := e.undone.Load()
		switch {
		case n > 1:
			l.wrong("undo", "what #%d has done was undone %d times", e.node.id, n)
		case e.saga != s || e.linger && n == 1:
		case n == 0:
			kept++
		default:
			undone++
		}
	}
	failed, succeeded, top := false, true, s.outermost()
	for o := s; o != nil; o = o.outer {
		failed = failed || o.failed.Load()
		succeeded = succeeded && o.succeeded.Load()
	}
	switch {
	case kept > 0 && undone > 0:
		l.wrong("saga", "of what was done in saga #%d, %d are undone and %d kept; the run: %v", s.node.id, undone, kept, err)
	case kept > 0 && failed:
		l.wrong("saga", "saga #%d, or one around it, has failed, and %d of what it has done are kept", s.node.id, kept)
	case undone > 0 && succeeded:
		l.wrong("saga", "saga #%d has succeeded, and %d of what it has done are undone", s.node.id, undone)
	case top.root && kept > 0 && err != nil:
		l.wrong("saga", "the run, a saga, has ended with %v, and %d of what it has done are kept", err, kept)
	case s.root && undone > 0 && err == nil:
		l.wrong("saga", "the run, a saga, has succeeded, and %d of what it has done are undone", undone)
	}
}

func keep[T any](l *life, list *[]T, v T) T { return keepIn(&l.mu, list, v) }

func keepIn[T any](mu *sync.Mutex, list *[]T, v T) T {
	mu.Lock()
	defer mu.Unlock()
	*list = append(*list, v)
	return v
}

func (l *life) marked(s *saga) []*effect {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.effects), func(e *effect) bool { return e.saga != s })
}
