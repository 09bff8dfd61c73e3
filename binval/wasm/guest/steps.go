//go:build wasip1

package guest

import (
	"math"
	"time"
	"unsafe"
)

// Steps is what a step sees of the run: the first parameter of an export, and of the functions below. It is valid until the
// step has ended.
type Steps uint32

// Guard is a guard of the host.
type Guard uint32

// FindGuard returns the guard that the host shares by that name; ok is false if there is none.
func FindGuard(name string) (g Guard, ok bool) {
	s := text(name)
	at := tableGuard(address(s))
	return Guard(at), at != 0
}

// Add adds a step. catch is called with the code of an error of it, and may be nil; a catch that gives a value, or adds
// steps, handles the error.
func (as Steps) Add(run func(as Steps), catch func(as Steps, code string)) {
	tableAdd(uint32(as), keep(as, &code{run: run, catch: catch}), body, catches(catch))
}

func catches(catch func(Steps, string)) uint32 {
	if catch == nil {
		return 0
	}
	return caught
}

// Parallel adds a step whose steps are branches side by side. They must be added before the function returns.
func (as Steps) Parallel(catch func(as Steps, code string)) Steps {
	return Steps(tableParallel(uint32(as), keep(as, &code{catch: catch}), catches(catch)))
}

// Sync adds a step that runs inside of a guard.
func (as Steps) Sync(g Guard, run func(as Steps)) {
	tableAddSync(uint32(as), uint32(g), keep(as, &code{run: run}), body, 0)
}

// Loop adds a step that runs again and again, until Break.
func (as Steps) Loop(label string, run func(as Steps)) {
	s := text(label)
	tableLoop(uint32(as), keep(as, &code{run: run}), body, labelled(label, s))
}

// Repeat adds a step that runs n times.
func (as Steps) Repeat(label string, n int, run func(as Steps, i int)) {
	s := text(label)
	tableRepeat(uint32(as), keep(as, &code{count: run}), uint32(n), body, labelled(label, s))
}

func labelled(label string, s []byte) uint32 {
	if label == "" {
		return 0
	}
	return address(s)
}

// Break ends the nearest loop, or the one with the label if that isn't "".
func (as Steps) Break(label string) { tableBreak(uint32(as), labelled(label, text(label))) }

// Continue goes on with the next turn of the nearest loop, or of the one with the label.
func (as Steps) Continue(label string) { tableContinue(uint32(as), labelled(label, text(label))) }

// Fail fails the step. info may be "".
func (as Steps) Fail(code, info string) {
	c, i := text(code), text(info)
	tableError(uint32(as), address(c), address(i))
}

// Wait makes the step wait until Give or Fail, which a callback of After may call.
func (as Steps) Wait() { tableWait(uint32(as)) }

// Timeout limits the step, with its sub-steps.
func (as Steps) Timeout(d time.Duration) { tableTimeout(uint32(as), milliseconds(d)) }

// OnCancel sets the function that is called when the step is cancelled.
func (as Steps) OnCancel(hook func()) { tableCancel(uint32(as), keep(as, &code{call: hook}), hooked) }

// After calls back when d has passed, unless the step of the host has ended by then.
func (as Steps) After(d time.Duration, callback func()) {
	last++
	codes[last] = &code{call: callback}
	var handle [3]uint32
	tableDeferred(uint32(uintptr(unsafe.Pointer(&handle))), uint32(as), milliseconds(d), last, called)
}

func milliseconds(d time.Duration) uint32 {
	return uint32(min(max(d, 0).Milliseconds(), math.MaxUint32))
}
