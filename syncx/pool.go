package syncx

import "runtime"

// NewPool makes a [Mutex] for steps that compute. Around step.Await, whose bodies have goroutines of their own, it bounds
// how many of these bodies run at once.
//
//	var cores = syncx.NewPool(0)
//	var resized = syncx.Sync(cores, step.Await(resize))
//
// A size of 0 stands for [runtime.GOMAXPROCS] at the moment of the call. With a size below zero the pool isn't well formed,
// see [Mutex.Err]. All plans and loops that use one pool share its places. Any number of flows may wait for a place; a flow
// that waits needs no goroutine of its own.
//
// A body that outlives the grace of its step goes on without a place: more bodies than size may be running until it
// returns.
//
//spec:ftn12 §1.11.6, §2.3
func NewPool(size int) *Mutex {
	if size == 0 {
		size = runtime.GOMAXPROCS(0)
	}
	m := new(Mutex)
	m.lock.Init("pool")
	m.init("pool", size, -1)
	return m
}
