// Package tool is the event loop that asynchronous runs live on.
//
// A loop runs callbacks one at a time. There are two kinds: immediates, first in first out, and timers, by deadline and
// then by arrival. The implementations of [Tool] differ in the goroutine that runs the callbacks:
//
//   - [Loop] has a goroutine of its own: [Start] and [Loop.Shutdown];
//   - [Manual] is driven by its user's goroutine, alone or inside another event loop: [NewManual];
//   - tooltest.Loop is stepped by a test, in virtual time and in an order the test can draw.
//
// A [Group] spreads work over several Loops.
//
// # One goroutine at a time
//
// Callbacks of one loop don't run at the same time, so data that only they use needs no lock. They must not block, because nothing
// else on their loop runs meanwhile. A [Watchdog] reports callbacks that do. Any goroutine may schedule and cancel callbacks, and
// completions by other goroutines reach the loop in that way.
//
// # Turns
//
// In one turn a loop runs the immediates that were queued when the turn began, then the timers that are due, a bounded number of
// each. So an immediate that keeps queueing immediates can't keep the timers waiting, nor the reverse. What a run does in one turn
// is bounded by [TurnLimits].
//
// # Order
//
// The immediates of a loop are in a ring. The goroutine that drives the loop is its owner, and adds to the ring and takes from it
// without a lock. Other goroutines push onto a list by compare-and-swap. The owner moves that list, as a whole and in the order of
// arrival, to the end of the ring, for example when a turn begins, and always before it adds to the ring itself.
//
// So if one post happens before another, in the sense of Go's memory model, its callback runs first:
//
//   - owner, then owner: they are in the ring in that order;
//   - owner, then another goroutine: the first is in the ring, and the list goes behind what is there;
//   - another goroutine, then the owner: the owner first checks whether the list is empty. That is an atomic load, which
//     sees what happened before it. So the owner sees the first post, and moves the list before it adds the second;
//   - another goroutine, then another one: the first push is below the second in the list, or has been moved already.
//
// So the posts of one goroutine run in their order, even if it becomes the owner or ceases to be the owner in between. On machines
// where goroutines can't be told apart quickly (see InLoop of [Tool]), the owner uses the list too.
//
// A run that another goroutine starts keeps this order only as long as the ring is short. While the ring holds a burst or
// more, new runs wait in a separate queue, from which each turn takes some. So runs that have begun go on soon, however many
// are started.
//
// Of the pushes onto the list, only the one that finds it empty wakes an owner that sleeps. Before an owner goes to sleep it
// yields once, because another goroutine may be about to post.
//
// Timers are guarded by a lock. Those with equal deadlines run in the order in which their goroutines took the lock.
//
// # Registrations and the end
//
// [Host], [Registration], [Body] and [Work] aren't for programs, but for those who write a loop or an engine. A program
// may ask the Host of a loop for the time, for random numbers and for the number of live runs.
//
// A run registers with the [Host] of its loop as a [Registration]. Shutdown waits for the registrations, and tells
// those that are left to stop when its context ends.
//
// # Errors
//
// A panic in a callback doesn't end the loop: it is reported to Options.OnError as a [*PanicError].
//
//spec:ftn12 §2.6
package tool
