//go:build cgo

// Package mock is a small engine in C that plays the foreign side in tests of
// package cabi, and code in C for steps of any engine.
package mock

// #include "mock.h"
// #include <stdlib.h>
import "C"

import (
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
)

// The addresses of C functions that are the code or the error handler of a step; see mock.h.
var (
	Gives     = uintptr(C.mock_f_gives())
	Takes     = uintptr(C.mock_f_takes())
	Fails     = uintptr(C.mock_f_fails())
	Catches   = uintptr(C.mock_f_catches())
	Recovers  = uintptr(C.mock_f_recovers())
	Reraises  = uintptr(C.mock_f_reraises())
	AsksGo    = uintptr(C.mock_f_asks())
	TellsGo   = uintptr(C.mock_f_tells())
	Completes = uintptr(C.mock_f_completes())
	Schedules = uintptr(C.mock_f_schedules())
	Forwards  = uintptr(C.mock_f_forwards())
	Soon      = uintptr(C.mock_f_soon())
	SoonAfter = uintptr(C.mock_f_soon_after())
	Waits     = uintptr(C.mock_f_waits())
	Late      = uintptr(C.mock_f_late())
	Drops     = uintptr(C.mock_f_drops())
	Adds      = uintptr(C.mock_f_adds())
)

// Engine is one instance of the foreign engine.
type Engine struct{ m *C.mock }

// New makes an engine.
func New() Engine { return Engine{C.mock_new()} }

// Free destroys the engine.
func (e Engine) Free() { C.mock_free(e.m) }

// Root makes a run without steps and returns its FutoInAsyncSteps*.
func (e Engine) Root() unsafe.Pointer { return unsafe.Pointer(C.mock_root(e.m)) }

// Run drives the engine until nothing is queued and nothing is pending.
func (e Engine) Run() { C.mock_run(e.m) }

// Pend adds change to the number of other threads that are going to queue something. While it isn't 0, Run doesn't end and the
// virtual time stands still.
func (e Engine) Pend(change int) { C.mock_pend(e.m, C.int(change)) }

// Alive returns the number of runs that aren't destroyed.
func (e Engine) Alive() int { return int(C.mock_alive(e.m)) }

// Misused returns the number of calls that package cabi mustn't make to a foreign engine: success without arguments,
// sched_deferred below 100 ms, newInstance of a step that has ended, and newInstance, or the free of an instance, on another
// thread than the loop's.
func (e Engine) Misused() int { return int(C.mock_misused(e.m)) }

// Now returns the virtual time in milliseconds.
func (e Engine) Now() uint64 { return uint64(C.mock_now(e.m)) }

// Mutex makes a mutex of the engine and returns its FutoInSync*.
func Mutex() unsafe.Pointer { return unsafe.Pointer(C.mock_mutex()) }

// Queued returns how many flows wait for a mutex of the engine.
func Queued(m unsafe.Pointer) int { return int(C.mock_mutex_queued((*C.FutoInSync)(m))) }

// Locked reports whether a flow is inside a mutex of the engine.
func Locked(m unsafe.Pointer) bool { return C.mock_mutex_locked((*C.FutoInSync)(m)) != 0 }

// Caught holds what the error handlers Catches and Recovers have stored.
type Caught struct{ c *C.mock_caught }

// NewCaught allocates a Caught in C memory.
func NewCaught() Caught { return Caught{(*C.mock_caught)(C.calloc(1, C.sizeof_mock_caught))} }

// Data returns the address to give to a step as its data.
func (c Caught) Data() uintptr { return uintptr(unsafe.Pointer(c.c)) }

// Count returns how many times a handler was called.
func (c Caught) Count() int { return int(c.c.count) }

// Code returns the code of the last error.
func (c Caught) Code() string { return C.GoString(&c.c.code[0]) }

// Info returns the info of the last error.
func (c Caught) Info() string { return C.GoString(&c.c.info[0]) }

// Number holds the number that Takes has stored.
type Number struct{ c *C.int32_t }

// NewNumber allocates a Number in C memory.
func NewNumber() Number { return Number{(*C.int32_t)(C.calloc(1, 4))} }

// Data returns the address to give to a step as its data.
func (n Number) Data() uintptr { return uintptr(unsafe.Pointer(n.c)) }

// Value returns the number.
func (n Number) Value() int32 { return int32(*n.c) }

// Text copies s to C memory, which is never freed, and returns its address.
func Text(s string) uintptr { return uintptr(unsafe.Pointer(C.CString(s))) }

type hook struct {
	run   func(as unsafe.Pointer)
	catch func(code string)
}

var hooks binval.Handles[hook]

// Hook returns data for a step whose code is AsksGo, which calls run with the FutoInAsyncSteps* of the step.
func Hook(run func(as unsafe.Pointer)) uintptr { return uintptr(hooks.Put(hook{run: run})) }

// HookBoth returns data for a step whose code is AsksGo and whose error handler is TellsGo. AsksGo calls run, as for
// Hook, and TellsGo calls catch with the code of the error.
func HookBoth(run func(as unsafe.Pointer), catch func(code string)) uintptr {
	return uintptr(hooks.Put(hook{run, catch}))
}

//export mockHook
func mockHook(as *C.FutoInAsyncSteps, handle C.uintptr_t) {
	if h, ok := hooks.Get(binval.Handle(handle)); ok {
		h.run(unsafe.Pointer(as))
	}
}

//export mockCaught
func mockCaught(handle C.uintptr_t, code *C.char) {
	if h, ok := hooks.Get(binval.Handle(handle)); ok {
		h.catch(C.GoString(code))
	}
}

// Each function below that has a parameter called as calls a function of the table of as.

// Add calls add.
func Add(as unsafe.Pointer, data, f, eh uintptr) {
	C.mock_add((*C.FutoInAsyncSteps)(as), C.uintptr_t(data), C.uintptr_t(f), C.uintptr_t(eh))
}

// AddSync calls addSync.
func AddSync(as, sync unsafe.Pointer, data, f, eh uintptr) {
	C.mock_add_sync((*C.FutoInAsyncSteps)(as), (*C.FutoInSync)(sync), C.uintptr_t(data), C.uintptr_t(f), C.uintptr_t(eh))
}

// Execute calls execute.
func Execute(as unsafe.Pointer, data, unhandled uintptr) {
	C.mock_execute((*C.FutoInAsyncSteps)(as), C.uintptr_t(data), C.uintptr_t(unhandled))
}

// Cancel calls cancel.
func Cancel(as unsafe.Pointer) { C.mock_cancel((*C.FutoInAsyncSteps)(as)) }

// SetCancel calls setCancel with code that calls the hook.
func SetCancel(as unsafe.Pointer, hook uintptr) {
	C.mock_set_cancel((*C.FutoInAsyncSteps)(as), C.uintptr_t(hook))
}

// SameThread calls is_same_thread.
func SameThread(as unsafe.Pointer) bool {
	return C.mock_same_thread((*C.FutoInAsyncSteps)(as)) != 0
}

// Parallel calls parallel.
func Parallel(as unsafe.Pointer) unsafe.Pointer {
	return unsafe.Pointer(C.mock_parallel((*C.FutoInAsyncSteps)(as)))
}

// NewInstance calls newInstance.
func NewInstance(as unsafe.Pointer) unsafe.Pointer {
	return unsafe.Pointer(C.mock_instance((*C.FutoInAsyncSteps)(as)))
}

// Stack calls stack without a cleanup.
func Stack(as unsafe.Pointer, size int) unsafe.Pointer {
	return C.mock_stack((*C.FutoInAsyncSteps)(as), C.size_t(size))
}

// StackTelling calls stack with a cleanup that calls the hook.
func StackTelling(as unsafe.Pointer, hook uintptr) {
	C.mock_stack_telling((*C.FutoInAsyncSteps)(as), C.uintptr_t(hook))
}

// Success calls success with the values in args, and takes them.
func Success(as unsafe.Pointer, args *binval.Args) {
	C.mock_success((*C.FutoInAsyncSteps)(as), (*C.FutoInArgs)(unsafe.Pointer(args)))
}

// Free calls free.
func Free(as unsafe.Pointer) { C.mock_release((*C.FutoInAsyncSteps)(as)) }

// Repeat calls repeat with code that adds one empty step in each iteration.
func Repeat(as unsafe.Pointer, count int) {
	C.mock_repeat((*C.FutoInAsyncSteps)(as), C.size_t(count))
}

// RepeatWaiting calls repeat with code that waits for an immediate in each iteration.
func RepeatWaiting(as unsafe.Pointer, count int) {
	C.mock_repeat_waiting((*C.FutoInAsyncSteps)(as), C.size_t(count))
}

// StateVariable calls stateVariable with a variable that calls the run of the hook when the variable is made, and the catch
// of the hook when it is cleaned up; see HookBoth. It returns the hook of the variable that is found or made.
func StateVariable(as unsafe.Pointer, name string, hook uintptr) uintptr {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return uintptr(C.mock_state((*C.FutoInAsyncSteps)(as), c, C.uintptr_t(hook)))
}

// Empty calls a C function that does nothing.
func Empty() { C.mock_empty() }

// CallBack calls a C function that calls Go.
func CallBack(hook uintptr) { C.mock_call_back(C.uintptr_t(hook)) }

// RepeatAsking calls repeat with code that calls the hook in each iteration.
func RepeatAsking(as unsafe.Pointer, count int, hook uintptr) {
	C.mock_repeat_asking((*C.FutoInAsyncSteps)(as), C.size_t(count), C.uintptr_t(hook))
}
