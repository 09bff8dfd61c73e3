//go:build wasip1

package guest

import (
	"math"
	"time"
	"unsafe"
)

// Steps is a step of a run, as its own code sees it: the first parameter of an export, and of the functions that a step adds. It is valid
// until the step has ended. Any later use, except a call of After, is an error of the step whose code makes it.
//
// The code of the step calls the methods, [Give] and [Done]. A callback of After may also call Give, Done, Fail, Break and
// Continue, to end the wait of the step.
type Steps uint32

// Guard is a guard of the host.
type Guard uint32

// FindGuard returns the guard that the host shares under name, in Limits.Guards; ok is false if there is none. The code of a step
// calls it, not an initializer of a variable.
func FindGuard(name string) (g Guard, ok bool) {
	s := text(name)
	at := tableGuard(address(s))
	return Guard(at), at != 0
}

// Lock enters a guard for the run, or for the branch that the step is in. If the guard is free that happens at once. Otherwise Lock adds
// a step that waits for the guard, and that fails if the guard refuses it; the steps that the code adds after Lock are inside. A guard
// that is still locked when the step of the host ends is unlocked then. If the section is one step, use [Steps.Sync], but not with a
// guard that the same run has locked already: the run may wait for itself. A function locks a guard once: a second Lock while the first
// one waits is an error of the step. Steps that the function adds may lock the guard again.
//
//spec:ftn12 §2.7.3
func (g Guard) Lock(as Steps) { tableLock(uint32(as), uint32(g)) }

// Unlock leaves a guard that the same flow has entered by Lock: the run, or the branch that the step is in. If that Lock still
// waits, Unlock ends its wait. Without a Lock it does nothing.
//
//spec:ftn12 §2.7.3
func (g Guard) Unlock(as Steps) { tableUnlock(uint32(as), uint32(g)) }

// Add adds a step, which runs after those that were added before or, in a Parallel, beside them. catch is called with the code of its
// error, and may be nil. A catch that calls Give or Done, or adds steps, handles the error, and one that calls Fail replaces it.
func (as Steps) Add(run func(as Steps), catch func(as Steps, code string)) {
	tableAdd(uint32(as), keep(as, &code{run: run, catch: catch}), body, catches(catch))
}

func catches(catch func(Steps, string)) uint32 {
	if catch == nil {
		return 0
	}
	return caught
}

// Parallel adds a step whose steps run side by side, as branches. Add the branches to the result, before the calling function returns.
// When a branch fails, the others are cancelled, and catch is called as for Add.
func (as Steps) Parallel(catch func(as Steps, code string)) Steps {
	return Steps(tableParallel(uint32(as), keep(as, &code{catch: catch}), catches(catch)))
}

// Sync adds a step that runs inside of a guard. It waits for the guard, and fails if the guard refuses it.
func (as Steps) Sync(g Guard, run func(as Steps)) {
	tableAddSync(uint32(as), uint32(g), keep(as, &code{run: run}), body, 0)
}

// Loop adds a step that runs again and again, until Break.
func (as Steps) Loop(label string, run func(as Steps)) {
	s := text(label)
	tableLoop(uint32(as), keep(as, &code{run: run}), body, labelled(label, s))
}

// Repeat adds a step that runs n times, at most 1<<32 - 1 times; i counts from 0. If n isn't positive it doesn't run.
func (as Steps) Repeat(label string, n int, run func(as Steps, i int)) {
	s, times := text(label), uint32(min(max(n, 0), math.MaxUint32))
	tableRepeat(uint32(as), keep(as, &code{count: run}), times, body, labelled(label, s))
}

func labelled(label string, s []byte) uint32 {
	if label == "" {
		return 0
	}
	return address(s)
}

// Break ends the nearest loop, or the one with the label if it isn't "".
func (as Steps) Break(label string) { tableBreak(uint32(as), labelled(label, text(label))) }

// Continue ends the iteration of the nearest loop, or of the one with the label if it isn't "". The next iteration follows, if any.
func (as Steps) Continue(label string) { tableContinue(uint32(as), labelled(label, text(label))) }

// Fail fails the step with a code, which handlers see, and a text for people, which may be "". The code may have 4096 bytes at most, and a
// longer text is cut. Like other names and labels that guests give, both end before a zero byte.
func (as Steps) Fail(code, info string) {
	c, i := text(code), text(info)
	tableError(uint32(as), address(c), address(i))
}

// Wait makes the step wait after its function, if the function adds no steps, until a callback of After calls Give, Done, Fail, Break or
// Continue. In a catch it does nothing.
func (as Steps) Wait() { tableWait(uint32(as)) }

// Timeout limits the time of the step with its sub-steps: after d, which is rounded up to milliseconds, the step fails with the code
// Timeout. If d isn't positive the step fails with InvalidRequest. If the function of the step does nothing else, the step waits.
func (as Steps) Timeout(d time.Duration) { tableTimeout(uint32(as), milliseconds(d)) }

// OnCancel sets the function that is called if the step is left without success, for example by a cancel. If the function of the step does
// nothing else, the step waits.
func (as Steps) OnCancel(hook func()) { tableCancel(uint32(as), keep(as, &code{call: hook}), hooked) }

// After calls callback after d, which is rounded up to milliseconds, unless the step whose export the host has called has ended by then.
func (as Steps) After(d time.Duration, callback func()) {
	n := keepTimer(as, callback)
	tableDeferred(uint32(uintptr(unsafe.Pointer(&handle))), uint32(as), milliseconds(d), n, called)
}

// handle is where the host stores the handles of timers, which aren't read. It isn't on the stack, which moves when it grows.
var handle [3]uint32

func milliseconds(d time.Duration) uint32 {
	n := max(d, 0).Milliseconds()
	if d > time.Duration(n)*time.Millisecond {
		n++
	}
	return uint32(min(n, math.MaxUint32))
}
