//go:build wasip1

package guest

// The numbers by which the host calls back. A function of Go has no number, so these are the kinds of calls, and the data of the call
// identifies the function.
const (
	body     = 1 + iota // an execute_callback, or the body of a loop or a repeat
	caught              // an error_callback
	hooked              // a cancel hook
	called              // a callback
	ended               // the cleanup of a step's block of memory: the functions that were kept for the step are forgotten
	released            // the cleanup of a value
)

type code struct {
	run   func(as Steps)
	count func(as Steps, i int)
	catch func(as Steps, code string)
	call  func()
	timer bool // a callback of After
}

var (
	codes = map[uint32]*code{}
	last  uint32
	// memories holds the block of memory of each step for which functions are kept; see memory. owners holds the numbers of these
	// functions, by the address of the block.
	owners   = map[uint32][]uint32{}
	memories = map[Steps]uint32{}
	// outer is the step whose export the host has called, from the first function that is kept for it until it has ended; otherwise 0.
	outer Steps
	calls int // how many calls by futoin_call are being executed; the export of outer isn't called by futoin_call
)

// keep gives a function a number, until the step of as has ended. If the step has ended already, keep returns 0, and the call that the
// number is for is a violation.
func keep(as Steps, c *code) uint32 {
	at := memory(as)
	if at == 0 {
		return 0
	}
	last++
	codes[last] = c
	owners[at] = append(owners[at], last)
	return last
}

// keepTimer gives the callback of a timer a number, until it is called or outer has ended.
func keepTimer(as Steps, callback func()) uint32 {
	if calls == 0 {
		memory(as)
	}
	last++
	codes[last] = &code{call: callback, timer: true}
	return last
}

// memory returns the block that the host passes to the cleanup ended when the step of as ends. The first call makes the block. If as isn't
// valid, there is no block and memory returns 0, because the host wouldn't call the cleanup.
func memory(as Steps) uint32 {
	at, ok := memories[as]
	if !ok && tableValid(uint32(as)) == 0 {
		return 0
	}
	if calls == 0 && outer == 0 { // in later calls as may be a parallel step of outer
		outer = as
	}
	if !ok {
		at = tableStack(uint32(as), 8, ended)
		memories[as] = at
		*(*uint32)(pointer(at)) = uint32(as)
	}
	return at
}

func forget(at uint32) {
	for _, n := range owners[at] {
		delete(codes, n)
	}
	as := Steps(*(*uint32)(pointer(at)))
	delete(owners, at)
	delete(memories, as)
	if as != outer {
		return
	}
	outer = 0
	for n, c := range codes { // the host has cancelled timers whose callbacks are left
		if c.timer {
			delete(codes, n)
		}
	}
}

// futoinCall is the export by which the host calls functions of the guest, and allocates and frees memory in it.
//
//go:wasmexport futoin_call
func futoinCall(op, f, a, b, c uint32) uint32 {
	switch op {
	case 5:
		return alloc(a)
	case 6:
		delete(blocks, a)
	case 1, 2, 3:
		calls++
		if op == 3 && f == body && codes[b].count == nil {
			Drop(c) // functions of Go don't get the values of the previous step
		}
		call(f, a, b, c)
		calls--
	}
	return 0
}

func call(f, a, b, c uint32) {
	switch f {
	case body:
		if k := codes[b]; k.count != nil {
			k.count(Steps(a), int(c))
		} else {
			k.run(Steps(a))
		}
	case caught:
		codes[b].catch(Steps(a), cString(c))
	case hooked:
		codes[b].call()
	case called:
		k := codes[a]
		delete(codes, a)
		k.call()
	case ended:
		forget(a)
	case released:
		(*value)(pointer(a)).drop()
	}
}

func cString(at uint32) string {
	n := uint32(0)
	for bytes(at+n, 1)[0] != 0 {
		n++
	}
	return string(bytes(at, n))
}
