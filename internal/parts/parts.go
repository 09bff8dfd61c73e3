// Package parts declares what package explore, but no user, may do with the virtual loop of package tooltest, such as telling
// callbacks apart by what they follow from. Package tooltest implements it.
package parts

import "time"

// Loop is a virtual loop whose callbacks belong to parts. Part 0 has the callbacks that were queued in no other part; on a loop
// without a chooser that is all of them. The methods are for the goroutine that steps the loop.
type Loop interface {
	// Enter makes callbacks that are queued from here on belong to part, which is 0 or above. It returns the part before, 0 at
	// first. While a callback is executed, what it queues belongs to its own part. On a loop without a chooser Enter does
	// nothing and returns 0.
	Enter(part int) (before int)

	// Now returns the part that callbacks are queued in now.
	Now() int

	// Next appends to parts the part of each callback that the next Step chooses from, in the order in which the chooser numbers
	// them. moves reports whether that Step moves the time before it chooses.
	Next(parts []int) (of []int, moves bool)

	// Asked returns the key of callback i among those that the chooser is being asked about, which stays the same until the
	// callback is taken, or 0 if the chooser is asked about fibers of a run.
	Asked(i int) uint64

	// Shared returns how often parts have used something of the loop that they share: random numbers of its host, the list of
	// errors, a callback of another part that was cancelled. Callbacks that do so can't change places.
	Shared() int

	// Shift moves the time by d, which may be below zero, and runs no callback. Package explore uses it to ask a test for its
	// state at another time. The caller must move the time back.
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
