// Package goid tells goroutines apart, and knows how large their stacks are.
//
// On amd64 and arm64 a goroutine is known by the address of its descriptor in the runtime, which assembly reads: see g_amd64.s
// and g_arm64.s. When a goroutine has ended, the runtime may use its descriptor for another goroutine. So an address is valid
// only while its goroutine lives: code that stores an address must clear it before that goroutine ends, also by
// [runtime.Goexit].
//
// Elsewhere, and with the build tag purego, a goroutine is known by the number that the runtime prints for it. That is slow:
// [Fast] is false then, and code that needn't know its goroutine, like a loop that queues a callback, doesn't call [Current].
package goid
