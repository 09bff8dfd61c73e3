package step

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/private"
	"github.com/futoin-go/asyncsteps/tool"
)

// Scope is the view that the body of a step has of its run: "as" in FTN12.
//
// It is a small value that names one step and is valid until that step ends. Use it only in
// code that the run calls on its loop: in bodies, handlers, hooks and cleanups. To complete a step
// from elsewhere use [Done]. When the step has ended, [Scope.Valid] and [Scope.Err] may still be
// called, and Loop and Now work until the run has ended. Any other method does nothing then; if the
// run is executing another step at that moment, that step fails with InternalError. For a step
// inside of a flow.Linger or a flow.On, "the run" means that part of the run here.
type Scope struct{ ref frame.Ref }

// Valid reports whether the step hasn't ended yet.
//
//spec:ftn12 §2.2.1 boolean cast
func (as Scope) Valid() bool { return as.ref.Valid() }

// Err returns nil until the step has ended, and an InternalError after that.
func (as Scope) Err() error { return as.ref.Err() }

// SetTimeout limits the step, with all its sub-steps, to d from now on. When the limit passes,
// everything inside of the step is cancelled and Timeout is raised at the step, whose own handler is
// asked first. Setting it again replaces the former limit. If d isn't positive, SetTimeout reports false
// and the step that is executing fails with InvalidRequest. If no step of the run is executing, because a callback
// of the loop has called SetTimeout, that error is reported to the loop. SetTimeout also reports false if the step
// has ended.
//
// The limit never fires early. It begins to count when the turn of the run in which it was set
// ends, or earlier in that turn. The limit ends with the step. The step of a [Func] ends when its body
// returns, so use flow.Timeout to limit such a step.
//
// In an error handler the limit is that of the sub-steps, or the wait, that the handler returns; otherwise it has no
// effect.
//
//spec:ftn12 §1.3, §2.2.2 setTimeout; rules C3, E2, O4
func (as Scope) SetTimeout(d time.Duration) bool {
	f := as.ref.Frame()
	return f != nil && f.SetTimeout(d)
}

// SetCancel installs hook, to be called on the loop if the step is left in any
// way but success, such as an error, a timeout, a cancel or a break. It is called
// at most once, before the step's error handler. Setting it again replaces
// the former hook. If hook is nil, SetCancel reports false and the step that is executing fails with
// InvalidRequest, or that error is reported, as for SetTimeout. SetCancel also reports false if the step has ended.
// A panic in hook doesn't stop the unwinding; it is kept in Secondary of the error or cancel.
// After a break or continue, when a race was won, and in a flow.Linger that was left, it is
// reported to the loop instead.
//
// In an error handler the hook is that of the sub-steps, or the wait, that the handler
// returns: the hook of a handler that returns neither is never called.
//
//spec:ftn12 §1.3, §2.2.2 setCancel; rules E1, E2, E4
func (as Scope) SetCancel(hook func()) bool {
	f := as.ref.Frame()
	return f != nil && f.SetCancel(hook)
}

// Context returns a context that ends with the step. Its cause is the error that ended the step; if a break or
// a continue of loopx has ended the step, an error that Is fault.Cancelled; if the step has succeeded,
// context.Canceled. Its deadline is the earliest of the limits of the step and of the steps around it, and of the
// deadline of the run's own context. Inside of a flow.Shield or the like, limits and deadlines outside of it don't
// count. The deadline of a context doesn't change when a limit is changed later. On a loop in virtual time the
// deadline is a time of the loop's clock, see tool.Host.Time. The context carries the values of the context that the
// run was started with. For a scope whose step has ended, Context returns a context that has ended.
//
//spec:rules C8, C9
func (as Scope) Context() context.Context {
	if f := as.ref.Frame(); f != nil {
		return f.Context()
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(as.Err())
	return ctx
}

// Place isn't for programs. Other packages of this library find the run by it; its type is internal.
func (as Scope) Place() plan.Place { return plan.PlaceOf(as.ref) }

// State returns the dynamic state of the run, which all its steps share.
//
//spec:ftn12 §2.2.1 state
func (as Scope) State() State { return State(as) }

// Loop returns the loop that the run lives on; nil if the run has ended. A run of flow.Run has
// a private loop. When that run ends, other runs that were started on the loop are
// cancelled, and later work is refused with tool.ErrShutdown. The first call of Loop in a run of
// flow.Run allocates.
func (as Scope) Loop() tool.Tool {
	if r := as.ref.Run(); r != nil {
		return private.Lend(r.Tool())
	}
	return nil
}

// Now returns the time by the clock of the run's loop: virtual time on a loop of package
// tooltest, so that tests are reproducible. Times of loops in real time compare with each
// other and with time.Now. Now returns the zero time when the run has ended.
//
//spec:ftn12 §2.6
func (as Scope) Now() time.Time {
	if r := as.ref.Run(); r != nil {
		host := r.Clock()
		return host.Time(host.Now())
	}
	return time.Time{}
}

// Path returns the place of the step in the plan, like "0/par.1/2": the index of the step at
// each level, outermost first, with the kind and number of the branches around it. It is ""
// when the step has ended.
func (as Scope) Path() string {
	if f := as.ref.Frame(); f != nil {
		return f.Path()
	}
	return ""
}

// Attempt returns which attempt of the nearest retry around the step this is, from 1: see package retry.
// It returns 0 if no retry is around the step, or if the step has ended.
func (as Scope) Attempt() int {
	if f := as.ref.Frame(); f != nil {
		n, _ := f.Attempt()
		return n
	}
	return 0
}

// Trace returns the logical stack: this step, the step that holds it, and so on outwards. A very
// deep stack is cut to its innermost levels. Trace returns nil when the step has ended.
//
//spec:ftn12 §1.7 async_stack
func (as Scope) Trace() []fault.Frame {
	if f := as.ref.Frame(); f != nil {
		return f.Stack()
	}
	return nil
}
