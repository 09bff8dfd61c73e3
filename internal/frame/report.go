package frame

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

// report makes the error of a run from the error that left its outermost level: a fault.Error that says where that error was
// raised and which levels it passed. The result wraps the error, which errors.Is and errors.As reach unchanged (E6). An error
// that the machine has made isn't changed either, but wrapped: handlers, observers and contexts have it, and other runs may
// raise it again.
func (r *Run) report(t *trail, err error) error {
	e := &fault.Error{Code: fault.InternalError, Cause: err}
	t.describe(e, r)
	r.keep(e, reporting)
	e.Code, e.Info = fault.CodeOf(err), fault.InfoOf(err)
	return e
}

// cancelled makes the error of a run that was cancelled from outside, or whose context's deadline has passed. It may call user
// code, while r.doing is set to as.
func (r *Run) cancelled(t *trail, as doing) error {
	e := &fault.Error{Code: fault.Cancelled, Cause: r.stopped()}
	if why := r.asked(); why != nil && why.late {
		e.Code = fault.Timeout
	}
	t.describe(e, r)
	if std := e.Cause == context.Canceled || e.Cause == context.DeadlineExceeded; !std {
		r.keep(e, as)
		e.Info = fmt.Sprint(e.Cause) // fmt.Sprint catches a panic of the user's Error
	}
	return e
}

// keep stores the error of the run before user code is asked for its text: that code may end the goroutine, and then brokenOff
// ends the run with the stored error. Otherwise the caller goes on to conclude, which sets doing anew.
func (r *Run) keep(e *fault.Error, as doing) {
	r.errors().result = e
	r.doing = as
}

// brokenOff ends a run if user code, asked for the text of the run's error, has panicked or ended the goroutine. It also ends a
// run that has only waited for its parts.
func (r *Run) brokenOff() {
	e := r.record.result
	switch r.doing {
	case reporting:
		r.finish(e)
	case remaining:
		r.conclude(e, r.record.quits)
	default: // quitting: its end is decided
		r.conclude(e, true)
	}
}

// located makes an error of the machine at the current step.
func (f *Frame) located(code fault.Code, info string, cause error) error {
	i := f.Info()
	return &fault.Error{
		Code: code, Info: info, Cause: cause,
		Path: f.Path(), Name: i.Called(), Site: i.Site(),
	}
}

// violation returns the error of a step that broke a rule of the API (E7).
func violation(f *Frame, rule string) error {
	return f.located(fault.InternalError, "step "+f.label()+" "+rule, nil)
}

// Violation returns the error of the current step, which broke a rule of the API (E7).
func (f *Frame) Violation(rule string) error { return violation(f, rule) }

func invalid(f *Frame, what string) error {
	return f.located(fault.InvalidRequest, "step "+f.label()+": "+what, nil)
}

func timedOut(f *Frame, limit time.Duration) error {
	return f.located(fault.Timeout, "step "+f.label()+" took longer than "+limit.String(), nil)
}

// label names the current step in an error: its path, and its name if the user gave it one, or else the nearest name
// around it. The name of its function is in the error's Name.
func (f *Frame) label() string {
	if name := f.Info().Name; name != "" {
		return f.Path() + " " + name
	}
	around := ""
	f.Outwards(func(outer *Frame) bool {
		around = outer.Info().Name
		return around == ""
	})
	if around == "" {
		return f.Path()
	}
	return strconv.Quote(around) + " › " + f.Path()
}

// violate fails the step that is executing in r, in one of its parts, or in a run that r is a part of, once the code of that
// step returns: code that broke a rule can't be stopped in the middle without a panic.
func (r *Run) violate(err error) {
	r = r.executing()
	if r == nil || r.cur == nil || r.cur.top == nil || r.doing == watching {
		return // no code of a step is executing
	}
	met := r.errors()
	switch len(met.broken) {
	case 0:
		r.cur.top.mark(violated)
	case mostBroken:
		met.unkept++
		return
	}
	met.broken = append(met.broken, err)
}

// misuse fails the step that is executing, as violate does. If none is, because a callback of the loop has broken the rule
// between two turns of the run, misuse reports err to the loop.
func (r *Run) misuse(err error) {
	if r.executing() != nil {
		r.violate(err)
		return
	}
	r.complain([]error{err})
}

// mostBroken bounds how many errors are kept of code that breaks rules again and again: all of them are printed, and searched,
// as one error.
const mostBroken = 16

func (r *Run) takeBroken() error {
	broken, unkept := r.record.broken, r.record.unkept
	r.record.broken, r.record.unkept = nil, 0
	if len(broken) == 1 {
		return broken[0]
	}
	if unkept > 0 {
		broken = append(broken, fault.New(fault.InternalError, "and broke rules "+strconv.Itoa(unkept)+" times more"))
	}
	return errors.Join(broken...)
}

// abandoned reports that the run goes on without the goroutine of the current step (C7). The goroutine was told to stop, and
// its grace is over or the loop can't wait for it.
func (r *Run) abandoned(f *Frame) {
	err := violation(f, "left a goroutine behind that ignores its context")
	f.fiber.trail.also(err)
	r.complain([]error{err})
}

// complain reports errs to the loop, whose error handler may end the goroutine. So complain is the last call of its
// caller.
func (r *Run) complain(errs []error) {
	if len(errs) == 0 {
		return
	}
	r.aside(func() { reportAll(r.Host(), errs) })
}

// reportAll reports each of errs, even if a report ends the goroutine.
func reportAll(host *tool.Host, errs []error) {
	if len(errs) > 1 {
		defer reportAll(host, errs[1:])
	}
	host.Report(errs[0])
}

// WrongNext fails the current step because it returned a Next that belongs to another step.
func (f *Frame) WrongNext() Verdict {
	return f.Fail(violation(f, "returned a Next that belongs to another step"))
}
