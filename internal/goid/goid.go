// Package goid tells whether a goroutine is the one that was seen before, and how large its stack is.
//
// On amd64 and arm64 a goroutine is known by the address of its descriptor in the runtime, which one instruction of
// assembly reads: see g_amd64.s and g_arm64.s. The runtime uses the descriptor of a goroutine that has ended for
// another one, so an address means something only while its goroutine lives: whoever stores an address clears it before
// that goroutine ends, also if [runtime.Goexit] ends it.
//
// Elsewhere, and with the build tag purego, a goroutine is known by the number that the runtime prints for it. To learn
// that number takes microseconds, so [Fast] is false then, and code that could do without, like a loop that is asked to
// queue a callback, doesn't ask.
package goid
