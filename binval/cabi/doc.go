// Package cabi lets Go and other languages share asynchronous flows through the binary interface of FutoIn: the C
// function tables of futoin_asyncsteps.h.
//
// It needs cgo. Without cgo the package is empty.
//
// # Directions
//
//   - C drives this engine: [NewRoot] makes a run whose Binary is a FutoInAsyncSteps* to which C adds steps.
//   - C is a part of a Go plan: [Call] makes a stage of a C function, [Func] makes one of a Go function that calls C.
//   - Go is a part of a run of C: [Wrap] takes a FutoInAsyncSteps*, of this or of a foreign engine, and [Add] adds Go
//     stages to it.
//   - Guards: [NewSync] makes a guard of Go usable from C, [WrapSync] makes one of C usable from Go.
//
// # Calls from C are recorded
//
// When the code of a step runs in C and adds steps, completes the step, waits, or breaks or continues a loop, these calls of the table are
// recorded in C memory and carried out when the code returns. So success, handle_error and waitExternal take effect at the return, and
// need no call from C to Go. A completion by another thread after waitExternal is also kept until the code returns. setTimeout, setCancel,
// stateVariable and stack take effect at once. A call that breaks a rule of the interface is an InternalError of the step that is
// executing on that thread. If no step is executing there, the step that the pointer names fails if it waits; otherwise the error is
// reported to the loop's error handler.
//
// Two calls may be kept until the code that made them returns, instead of queueing something on the loop at once: sched_immediate by the
// code of a step with its own pointer, and success by a callback for a step of the same loop. What is kept is carried out before any other
// call of the table, by any thread, that queues something on that loop or asks what happened; sched_is_valid and sched_cancel carry out
// only the call that has made their handle. So what calls of the table queue on a loop is queued in the order of these calls. What other
// Go code queues on the loop while a call is kept comes before that call.
//
// free of a root whose run has ended makes the pointer void at once, and cleans up at once what has to be cleaned up. If
// unhandled_error, or the function given to [Root.Execute], calls free, that happens when this function has returned. If there is
// nothing to clean up, the memory of the root is kept until, at the latest, the next call for a root or a step of the same loop that
// reaches Go: one that queues something, asks for the state of a step, or makes, executes, cancels or frees a root. That call releases the
// memory, and may make an instance ready for the next newInstance of the root that made this one. At most one freed root of each loop
// is kept like this, and at most 64 in all; further ones are released at once.
//
// While the cleanups of a root's stack run, the pointer of the root is void already, so they must not call cancel with it.
// While the cleanups of its state variables run, the pointer isn't void yet, and cancel does nothing.
//
// # Pointers
//
// A FutoInAsyncSteps* points to C memory and names one step, a parallel step, or a root. The pointer of a step is valid from the beginning
// of the step's code until the step's end. The pointer of a parallel step accepts steps until the code that made it returns or, if it was
// made with the pointer of a root, until the root is executed. The pointer of a root accepts steps while the root doesn't execute, until
// free. A pointer that is used later is recognised as void: its memory doesn't go back to the system, and is reused for another step only
// after 64 other pointers have become void. With a void pointer, calls that need a step or a root are violations; newInstance and the
// sched functions still use the loop of the pointer. C keeps no pointers to Go memory, except those in values, whose memory is pinned; see
// package binval.
//
// A root that has ended may be given steps and executed again, also by its unhandled_error. Its rootId, its variables and
// its memory stay.
//
// Memory from the function stack belongs to the step, parallel step or root whose pointer was used. It is cleaned up and freed when
// the step ends; the memory of a root, when the root is freed, however often it was executed. Called with a pointer that is void
// already, stack still returns memory, because the C++ wrapper writes to the memory without a check. The call is a violation. The
// memory is freed without its cleanup when the pointer is reused.
//
// # Threads
//
// A run belongs to its loop, and code of its steps runs there. While the run executes, no other code may add, wait or loop. Hooks,
// unhandled_error and callbacks of the loop may also call stateVariable. A call of stateVariable from elsewhere is a violation, unless the
// pointer names a root and the variable exists: any thread gets such a variable, at any time. A root that doesn't execute may be used from
// one thread at a time. Any thread may call:
//
//   - for a step that waits: stack, and success, handle_error, breakLoop and continueLoop, which are queued on the loop;
//   - for a root: execute, cancel, newInstance and free;
//   - isValid, rootId, is_same_thread and the sched functions, whose callbacks run on the loop.
//
// is_same_thread is 1 in code that the loop calls.
//
// A foreign engine given to [Wrap] must allow sched_immediate and is_same_thread from any thread: without that no other thread could
// complete a step. A call of sched_immediate from outside its loop may block until the loop has come round, but not until the
// callback has been called; it is made by a thread of this package that holds no lock. The same thread waits for the delays that
// other threads ask for, and for delays of less than 100 ms, because the C++ engine ends the process if it is asked for one. newInstance,
// and free of such an instance, are called on the loop. The engine may be ended as soon as its loop has nothing left to do.
//
// # Values
//
// Arguments belong to the code that gets them, which resets those that it doesn't forward. The engine resets values
// that reach no code. An error or a panic of such a reset fails no step; it is reported to the loop's error handler.
// But success itself resets values that it can't take, and a panic of that reset goes to the caller of success.
//
// # Repeated calls
//
// The C++ wrapper reports an error, throws it, catches it and reports it again; it does the same with break and
// continue. So a second report of the same error code changes nothing until the step's function has returned; the info of
// the first report counts. The await of that wrapper calls success and then breaks the loop, in one iteration: the loop
// ends with those values.
//
// # Choices where the interface is silent
//
// stateVariable("error_info") is a string: the info of the last error, or NULL; it lives until the next call for it, or the end of the
// run. The other variables that the spec defines, and those of Go, are NULL. If execute is called for a root that executes, the
// unhandled_error given to that call gets InternalError, and nothing else happens. unhandled_error isn't called for a run that was
// cancelled; a step that fails by itself with the code Cancelled is an error like any other. A break or continue with a label goes to the
// nearest loop around it that has this label, even if that is a loop of C and there are stages of Go in between.
//
//spec:ftn12 §2.7; rules B1, B2, B7, B9, B10, B11, B12, B13
package cabi
