// Package syncx guards steps: a [Mutex] bounds how many flows are inside a section at once, a
// [Throttle] how many enter it in a period of time, a [Limiter] both, a [TokenBucket] how many
// enter at a steady rate. A [Breaker] refuses sections after too many of them have failed. An
// [Adaptive] bounds how many are inside by a limit that it learns. A [Keyed] has a guard of
// its own for each key.
//
// [Sync] runs a step, or a whole plan, as a section of a guard. Where a flow has to wait, only that flow waits; its loop goes
// on with other work. Any number of plans, runs and loops may share a guard. A section that has been entered is left once,
// however it ends: with a value, an error, a timeout, a cancel or a panic.
//
// A flow may enter again a guard that it is inside of. The branches of a parallel step are
// flows of their own: they inherit no place from the flow that started them.
//
// If flows would wait for each other's mutexes for ever, a step fails instead, see [Deadlock], which also lists the
// exceptions.
//
// A guard that several processes share may give a section a lease and a [Fence]. If the lease is lost, the guard evicts the
// section, which fails with [LeaseLost]. The guards of this package serve one process and give no leases.
//
//spec:ftn12 §1.11, §2.4
package syncx
