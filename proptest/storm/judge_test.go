package storm_test

import (
	"context"
	"slices"
	"strings"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// reported receives the errors that the loops report.
func (a *arena) reported(err error) {
	lettered(err, func(u *unit) {
		if u.passed.Load() == 0 { // otherwise it is a letter of a sink that has failed
			u.hear()
		}
	})
	a.judge(err, nil)
}

// judge looks for errors in err that the storm hasn't made and nothing in the plan explains.
func (a *arena) judge(err error, l *life) {
	if err == nil {
		return
	}
	if law, what := a.alien(err); law != "" {
		where := "a loop"
		if l != nil {
			where = "a run"
		}
		a.wrong(law, "%s was told of %v\nin: %+v", where, what, err)
	}
}

// alien returns an error in the tree of err that must not be there, and the law that it breaks.
func (a *arena) alien(err error) (law string, found error) {
	if err == nil {
		return "", nil
	}
	if thrownByUs(err) {
		return "", nil
	}
	switch code := ownCode(err); {
	case code == fault.CutOff:
		return "cut off", err
	case code == syncx.Deadlock && !a.rings:
		return "deadlock", err
	case err == error(tool.ErrShutdown) && a.shutdown != impatient:
		return "shutdown", err
	}
	if ownCode(err) == fault.DefenseRejected {
		return "", nil // its cause is the text of a guard
	}
	inner := under(err)
	for _, e := range inner {
		if law, found := a.alien(e); law != "" {
			return law, found
		}
	}
	if len(inner) > 0 || known(err) {
		return "", nil
	}
	return "error", err
}

func thrownByUs(err error) bool {
	switch err := err.(type) {
	case *fault.Panic:
		return err.Value == thrown
	case *tool.PanicError:
		return err.Value == thrown
	}
	return err == tool.ErrGoexit || strings.Contains(err.Error(), "runtime.Goexit was called") && len(under(err)) == 0
}

func ownCode(err error) fault.Code {
	switch err := err.(type) {
	case *fault.Error:
		return err.Code
	case fault.Code:
		return err
	}
	return ""
}

func under(err error) []error {
	switch err := err.(type) {
	case interface{ Unwrap() []error }:
		var all []error
		for _, e := range err.Unwrap() {
			if e != nil {
				all = append(all, e)
			}
		}
		return all
	case interface{ Unwrap() error }:
		if e := err.Unwrap(); e != nil {
			return []error{e}
		}
	}
	return nil
}

// known reports whether an error that wraps nothing is one that plans of the storm may meet.
func known(err error) bool {
	switch ownCode(err) {
	case errStorm, errCancel, fault.Timeout, fault.Cancelled, fault.DefenseRejected, syncx.Deadlock, syncx.CircuitOpen:
		return true
	}
	plain := []error{context.Canceled, context.DeadlineExceeded, stream.ErrEnded, flow.ErrClosed, retry.ErrBudget, tool.ErrShutdown}
	if slices.Contains(plain, err) {
		return true
	}
	_, ring := err.(*syncx.Cycle)
	_, refused := err.(*syncx.Refusal)
	return ring || refused
}
