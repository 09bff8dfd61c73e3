package syncx

import "runtime"

// NewPool makes a [Mutex] for steps that compute: around a step.Await it bounds how many
// of the bodies run at once, on goroutines of their own.
//
//	var cores = syncx.NewPool(0)
//	var resized = syncx.Sync(cores, step.Await(resize))
//
// A size of 0 stands for [runtime.GOMAXPROCS] at the moment of the call; below zero the
// pool isn't well formed, see [Mutex.Err]. All plans and loops that use one pool share its
// places. Those that have to wait are queued without a bound and without a goroutine,
// first come, first served; a cancel takes them out of the queue.
//
// A body that outlives the grace of its step has left its place: it computes beside the others until it returns.
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
