package syncx

import (
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/internal/guard"
)

// Outcome describes how a section of a guard has ended. A guard gets it through the method Learn, see [Guard].
type Outcome struct {
	// Err is nil if the section has ended with a value, or was left by a break or
	// continue of loopx. Otherwise it is the error that leaves the section, or the
	// reason for which the section was cancelled.
	Err error
	// Cancelled means that the section was cut off, so that its outcome isn't known: for instance
	// its run was cancelled, a branch beside it has failed or has won a race, or a section around
	// it was evicted. It is false if a limit has ended the section.
	//
	//spec:rules C1, C3
	Cancelled bool
	// Outer means that a limit around the section has passed, such as that of a flow.Timeout, or the deadline of
	// the run's context. Err is fault.Timeout then, or the cause of the context. Outer is false if a limit inside has
	// passed, and its error has left the section.
	Outer bool
	// Took is how long the section was inside, by the clock of its loop. It is 0 if no step of the section has begun.
	Took time.Duration
}

type learner interface {
	Learn(t *Ticket, o Outcome)
}

func teach(to *guard.Guard, g Guard) {
	l, ok := g.(learner)
	if !ok {
		return
	}
	to.Enter = func(c *guard.Ticket) (bool, error) {
		c.Clock()
		return g.Enter((*Ticket)(c))
	}
	if b, ok := g.(*Breaker); ok {
		to.Enter = func(c *guard.Ticket) (bool, error) {
			if b.exact() {
				c.Clock()
			} else {
				c.ClockWaits()
			}
			return b.Enter((*Ticket)(c))
		}
	}
	to.Leave = func(c *guard.Ticket) {
		defer g.Leave((*Ticket)(c)) // is called even if Learn panics or ends the goroutine
		l.Learn((*Ticket)(c), Outcome(c.Outcome()))
	}
}

// naming returns a function that names a guard by its kind and its name, or, if name is empty, by its kind and the place
// where the constructor was called.
func naming(kind, name string) func() string {
	if name != "" {
		name = kind + " " + name
		return func() string { return name }
	}
	made := guard.Made(kind)
	return sync.OnceValue(made.String)
}
