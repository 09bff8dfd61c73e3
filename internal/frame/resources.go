package frame

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// resources holds the timer, the hook, the cleanups and the context of a step. A frame gets its resources on first use and
// keeps them, empty, for later steps. A Stopwatch has resources too.
type resources struct {
	frame   *Frame
	limit   time.Duration // duration of the timer; 0 if no timer is set
	ends    time.Duration // when the armed timer fires, by the loop's clock; never if the timer isn't a deadline (C8)
	timer   tool.Handle
	lapsed  int32  // if the timer is put off, its index in due.lapsed plus 1; otherwise 0
	alarm   bool   // the timer begins the next branch, or ends the grace of a shield, instead of raising Timeout
	isYoung bool   // linked in Run.young: the timer isn't armed yet, or a Stopwatch runs
	fire    func() // expire, bound once
	exits   *exits // nil until there is a hook or a cleanup
	young   young
	extras  *extras // nil until one of them is needed
}

// exits holds the functions that are called when the step has ended or is left.
type exits struct {
	hook     func()
	cleanups []func()
}

func (g *resources) exit() *exits {
	if g.exits == nil {
		g.exits = new(exits)
	}
	return g.exits
}

func (g *resources) takeHook() (hook func()) {
	if x := g.exits; x != nil {
		hook, x.hook = x.hook, nil
	}
	return hook
}

// extras are the resources that few steps have.
type extras struct {
	base     context.Context // the context without the limit of the step; nil until somebody asks for a context
	cancel   context.CancelCauseFunc
	ctx      context.Context // base with the limit of the step as its deadline
	shown    time.Duration   // the end of the limit that ctx shows
	eviction error           // the error of an eviction, raised instead of Timeout as if the timer had fired; nil if there is none
}

func (g *resources) extra() *extras {
	if g.extras == nil {
		g.extras = new(extras)
	}
	return g.extras
}

// equip returns the resources of the current step, and marks them as installed.
func (f *Frame) equip() *resources {
	if f.resources == nil {
		g := &resources{frame: f}
		g.fire = g.expire
		f.resources = g
	}
	f.mark(installed)
	return f.resources
}

// SetCancel installs the hook of the current step, in place of a former one. It reports false if hook
// is nil; see misuse for what else happens then.
func (f *Frame) SetCancel(hook func()) bool {
	if hook == nil {
		f.Run().misuse(invalid(f, "a cancel hook must not be nil"))
		return false
	}
	f.equip().exit().hook = hook
	return true
}

// Expects reports whether a timeout or a hook is set. If the body of a step has set one, and hasn't decided how to go on, the
// step waits (§1.6).
func (f *Frame) Expects() bool {
	return f.bits&installed != 0 && (f.resources.limit != 0 || f.resources.exits != nil && f.resources.exits.hook != nil)
}

// Defer adds a cleanup to the current step. The cleanups of a step run newest first (S3).
func (f *Frame) Defer(cleanup func()) {
	x := f.equip().exit()
	x.cleanups = append(x.cleanups, cleanup)
}

// clean runs the cleanups, newest first. Each is forgotten before it runs, so
// that a panicking one is not run twice.
func (g *resources) clean(r *Run) {
	x := g.exits
	if x == nil {
		return
	}
	for n := len(x.cleanups); n > 0; n = len(x.cleanups) {
		fn := x.cleanups[n-1]
		x.cleanups[n-1] = nil
		x.cleanups = x.cleanups[:n-1]
		r.doing = cleaning
		fn()
		r.doing = stepping
	}
}

// strip removes everything but the cleanups.
func (g *resources) strip() {
	g.disarm()
	_ = g.takeHook()
	g.endContext(nil)
}

// void takes back the limit and the hook that a handler has set, unless the handler waits (E2).
func (f *Frame) void() {
	if f.bits&installed != 0 && f.wait == nil {
		f.resources.disarm()
		_ = f.resources.takeHook()
	}
}

// settle ends the current step after its success: the hook is void, the timer is disarmed, the context ends, the cleanups
// run. It reports false if the step broke a rule and must fail instead.
func (f *Frame) settle() bool {
	return f.bits&(violated|installed|observed) == 0 || f.settleAll()
}

func (f *Frame) settleAll() bool {
	if f.bits&violated != 0 {
		f.forgive()
		return false
	}
	if g := f.resources; f.bits&installed != 0 {
		g.strip() // the hook is void even if a cleanup panics (C2)
		if g.exits != nil && len(g.exits.cleanups) > 0 {
			g.clean(f.Run())
			g.strip() // drops what the cleanups have installed
		}
		if f.bits&violated != 0 {
			f.forgive()
			return false
		}
	}
	f.Run().publishEnd(f, nil)
	return true
}
