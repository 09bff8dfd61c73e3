package tool

import "time"

// Tool is an event loop: it runs callbacks, one at a time.
//
// [Loop], [Manual] and tooltest.Loop implement it. A program with an event loop of its own can
// implement it too: get a [Host] with [NewHost] and run each callback through [Host.Call].
//
// Every method may be called from any goroutine, callbacks included.
//
//spec:ftn12 §2.6
type Tool interface {
	// Immediate queues fn to run as soon as the loop gets to it, after the immediates that were queued
	// before. It fails with ErrNilFunc, or with ErrShutdown once the loop takes no more work.
	//
	//spec:rule T1
	Immediate(fn func()) (Handle, error)

	// Deferred runs fn when d has passed, counted from this call. Callbacks run in the order of their deadlines, those
	// with equal deadlines in the order in which they arrived. A delay of zero is allowed: fn then runs after the
	// timers that are already due. Deferred fails with ErrNegativeDelay, ErrNilFunc or ErrShutdown.
	//
	//spec:rule T1
	Deferred(d time.Duration, fn func()) (Handle, error)

	// Cancel cancels the callback and reports whether it did. If the callback doesn't wait any more, the result is
	// false, which isn't an error. Called by a callback of this loop, Cancel also guarantees that the callback of h
	// never starts afterwards. If another goroutine calls Cancel, the callback may be starting just then; Cancel
	// reports false in that case.
	//
	//spec:rule T2
	Cancel(h Handle) bool

	// Valid reports whether the callback still waits to run. It is false inside that callback, after it,
	// and after Cancel.
	//
	//spec:rule T2
	Valid(h Handle) bool

	// InLoop reports whether the calling goroutine is the one that runs this loop's callbacks. For the loops of this
	// package it is quick on amd64 and arm64, and takes longer elsewhere.
	InLoop() bool

	// Host returns what the loop offers to the runs that live on it. The result is the same
	// for each call, and not nil.
	Host() *Host
}
