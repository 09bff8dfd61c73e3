// Package parts declares what package explore, but no user, may do with the virtual loop of package tooltest. For example,
// explore tells callbacks apart by what they follow from. Package tooltest implements [Loop].
package parts

import "time"

// Loop is a virtual loop whose callbacks belong to parts. Callbacks that were queued in no other part belong to part 0; on a
// loop without a chooser these are all callbacks. The methods are for the goroutine that steps the loop.
type Loop interface {
	// Enter makes callbacks that are queued from now on belong to part, which is 0 or above. It returns the part that was set
	// before; at first that is 0. While a callback is executed, the callbacks that it queues belong to its own part. On a loop
	// without a chooser Enter does nothing and returns 0.
	Enter(part int) (before int)

	// Now returns the part to which callbacks that are queued now will belong.
	Now() int

	// Next appends to parts the part of each callback that the next Step chooses from, in the order in which the chooser numbers
	// them. moves reports whether that Step moves the time before it chooses.
	Next(parts []int) (of []int, moves bool)

	// Asked returns the key of callback i among those that the chooser is being asked about. The key stays the same until the
	// callback is taken. Asked returns 0 if the chooser is asked about fibers of a run.
	Asked(i int) uint64

	// Shared returns how often parts have used something of the loop that they share: they have drawn random numbers of its
	// host, appended to its list of errors, or cancelled a callback of another part. Callbacks that do this can't change places.
	Shared() int

	// Shift moves the time by d, which may be below zero, and runs no callback. Package explore uses it to ask a test for its
	// state at another time. The caller must then move the time back.
	Shift(d time.Duration)

	// Late makes runs take whole turns, as on a real loop, so that the chooser is asked only about callbacks. The chooser may
	// then pick a due timer that hasn't the earliest deadline, as a real loop comes to its timers late and in a slightly
	// different order. If there are more than a thousand timers, some that are due aren't offered. Call Late before the loop
	// is used.
	Late()
}

var find func(t any) Loop

// Provide sets the function that Of calls. Package tooltest calls it to initialize a package variable.
func Provide(of func(t any) Loop) struct{} {
	find = of
	return struct{}{}
}

// Of returns the parts of t, a *tooltest.Loop.
func Of(t any) Loop { return find(t) }
