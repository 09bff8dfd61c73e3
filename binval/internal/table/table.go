package table

import (
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Names are the names of the functions of the table, by their index.
var Names = [...]string{
	"add", "parallel", "stateVariable", "stack", "success", "handle_error",
	"setTimeout", "setCancel", "waitExternal", "loop", "repeat", "breakLoop",
	"continueLoop", "execute", "cancel", "addSync", "rootId", "isValid",
	"newInstance", "free", "sched_immediate", "sched_deferred", "sched_cancel",
	"sched_is_valid", "is_same_thread",
}

// NoCode is the rule that a step without code breaks.
const NoCode = "was added without code"

// Misused returns the rule that a call of the function Names[index] has broken.
func Misused(index uint) string { return Forbidden(Names[index]) }

// Forbidden returns the rule that a call of the function with the given name has broken.
func Forbidden(name string) string {
	return "called " + name + " with a pointer that doesn't allow it now"
}

// Raised returns the error that a step has raised. cause is the error that a handler was called with, and nil outside of handlers. If
// the handler raises the code of cause again, the error wraps cause.
func Raised(code fault.Code, info string, cause error) error {
	if cause != nil && code == fault.CodeOf(cause) {
		return fault.Wrap(code, info, cause)
	}
	return fault.New(code, info)
}

// Untyped returns g as a guard of the machine.
func Untyped(g syncx.Guard) guard.Guard {
	itself := guard.Unwrap(g)
	own := guard.Guard{
		Key:      itself,
		Enter:    func(c *guard.Ticket) (bool, error) { return g.Enter((*syncx.Ticket)(c)) },
		Leave:    func(c *guard.Ticket) { g.Leave((*syncx.Ticket)(c)) },
		Withdraw: func(c *guard.Ticket) { g.Withdraw((*syncx.Ticket)(c)) },
	}
	if learns, ok := itself.(interface {
		Learn(t *syncx.Ticket, o syncx.Outcome)
	}); ok {
		own.Enter = func(c *guard.Ticket) (bool, error) {
			c.Clock()
			return g.Enter((*syncx.Ticket)(c))
		}
		own.Leave = func(c *guard.Ticket) {
			defer g.Leave((*syncx.Ticket)(c)) // is called even if Learn panics or ends the goroutine
			learns.Learn((*syncx.Ticket)(c), syncx.Outcome(c.Outcome()))
		}
	}
	if lends, ok := itself.(interface {
		Lease(t *syncx.Ticket, l syncx.Lease) (fence uint64)
	}); ok {
		own.Lease = func(c *guard.Ticket) uint64 {
			return lends.Lease((*syncx.Ticket)(c), syncx.Lease(c.BeginLease()))
		}
	}
	return own
}
