// Package drive is what the machine, and whoever drives a private loop of a run, may do with the loops of package
// tool, and users may not. Package tool implements it.
package drive

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/goid"
	"github.com/futoin-go/asyncsteps/internal/queue"
)

// Loop is a loop of package tool.
type Loop interface {
	// Seat says which goroutine owns the loop now. Who takes the seat is the loop's goroutine, as Iterate is while it
	// runs, and must leave it before it ends.
	Seat() *goid.Seat

	// Post queues x behind all immediates queued before (T1). x is in no queue; the loop's goroutine calls its Turn. The
	// error says that the loop has ended. Any goroutine.
	Post(x *queue.Item) error

	// Withdraw takes x out again, if it is still queued. It is for the owner, and nobody may post x meanwhile.
	Withdraw(x *queue.Item)

	// Arm is tool.Tool.Deferred, and returns when fn is due, by the loop's clock. On the loop's goroutine.
	Arm(d time.Duration, fn func()) (h uint64, deadline time.Duration, err error)

	// Turns takes turns until enough says so, which it asks before each, or one finds nothing to run. It reports whether
	// the last one ran anything. It is for who sits in the seat.
	Turns(enough Until) (worked bool)
}

// Until says when turns are to end. It must not panic.
type Until interface{ Enough() bool }

// finders are what Provide was given. Only variables of packages call that, so there is no lock.
var finders []Finder

// Finder finds t, a tool.Tool, if it is a loop of the package that provides the Finder. One that isn't a Loop may still
// have a seat. A type of somebody else's that embeds such a loop isn't found: it may have methods of its own that must
// not be passed over.
type Finder func(t any) (l Loop, seat *goid.Seat, found bool)

// Provide adds f to those that Of asks. It is for variables of packages.
func Provide(f Finder) struct{} {
	finders = append(finders, f)
	return struct{}{}
}

// Of returns t, a tool.Tool, as a Loop, and the seat of its owner. Both may be nil.
func Of(t any) (Loop, *goid.Seat) {
	for _, find := range finders {
		if l, seat, found := find(t); found {
			return l, seat
		}
	}
	return nil, nil
}
