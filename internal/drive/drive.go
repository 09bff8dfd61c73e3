// Package drive declares the methods of loops that are only for the machine, and for code of this module that drives a loop.
// Package tool implements them; for loops of other packages the machine has an adapter.
package drive

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/goid"
	"github.com/futoin-go/asyncsteps/internal/queue"
	"github.com/futoin-go/asyncsteps/internal/reserve"
)

// Loop is a loop of package tool, or an adapted one.
type Loop interface {
	// Seat returns the seat of the loop, which records the goroutine that owns the loop now; nil if the seat of an adapted
	// loop isn't known. A goroutine that drives the loop takes the seat, and leaves it when it stops, as Iterate does.
	Seat() *goid.Seat

	// Post queues x behind all immediates queued before (T1). x must not be queued yet. The loop's goroutine calls the Turn of
	// x. If queue.Item.Starts has marked x, and the caller isn't the owner, x may have to wait until the loop has less to do,
	// and items that are posted later may go before x. Post fails if the loop has ended. Any goroutine may call it.
	Post(x *queue.Item) error

	// PostHere is Post for the owner of the loop.
	PostHere(x *queue.Item) error

	// ImmediateHere is tool.Tool.Immediate for the owner of the loop.
	ImmediateHere(fn func()) (h uint64, err error)

	// Withdraw takes x out of the queue, if it is still queued. Only the owner may call it, and nobody may post x at
	// the same time.
	Withdraw(x *queue.Item)

	// Arm is tool.Tool.Deferred without its checks of d and fn. It also returns the deadline of fn, by the loop's clock. Only
	// the loop's goroutine may call it.
	Arm(d time.Duration, fn func()) (h uint64, deadline time.Duration, err error)

	// Turns runs turns, and calls enough.Enough before each. It returns true as soon as Enough returns true, and false when a
	// turn has found nothing to run. Only the goroutine in the seat may call it.
	Turns(enough Until) (worked bool)

	// Reserve returns the goroutines that call functions outside of the loop for its runs; nil if the loop keeps none.
	Reserve() *reserve.Reserve

	// Empty reports whether nothing is queued and no timer is armed. It reports false if it can't tell at once. Only the
	// goroutine in the seat may call it.
	Empty() bool
}

// Until tells [Loop.Turns] when to stop. Enough must not panic.
type Until interface{ Enough() bool }

// finders holds the arguments of all calls of Provide. Provide is called only while package variables are initialized, so
// finders needs no lock.
var finders []Finder

// Finder returns the Loop that stands for t, a tool.Tool, and the seat of its owner. found is false if t isn't a type of the
// package that provides the Finder. l is nil if t is a type of that package that has only a seat. A type of another package
// that embeds such a loop isn't found: it may override methods, which must be called then.
type Finder func(t any) (l Loop, seat *goid.Seat, found bool)

// Provide adds f to the Finders that Of asks. It is called in the initialization of a package variable.
func Provide(f Finder) struct{} {
	finders = append(finders, f)
	return struct{}{}
}

// Of returns t, a tool.Tool, as a Loop, and the seat of its owner. Either may be nil.
func Of(t any) (Loop, *goid.Seat) {
	for _, find := range finders {
		if l, seat, found := find(t); found {
			return l, seat
		}
	}
	return nil, nil
}
