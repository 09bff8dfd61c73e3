// Package cabi lets Go and other languages share asynchronous flows through the
// binary interface of FTN12 §2.7: the C function tables of futoin_asyncsteps.h.
//
// It needs cgo. Built without, it is empty but for this documentation.
//
// # Directions
//
//   - C drives an engine of ours: [NewRoot] makes a run whose Binary is a
//     FutoInAsyncSteps* to which C adds steps.
//   - C is a part of a Go plan: [Call] and [Func] are stages whose steps
//     are C's.
//   - Go is a part of a run of C: [Wrap] takes a FutoInAsyncSteps*, of ours or of
//     a foreign engine, and [Add] adds Go stages to it.
//   - Guards: [NewSync] gives a guard of Go to C, [WrapSync] one of C to Go.
//
// # Recording
//
// Code of a step that runs in C calls the functions of the table; what it says
// is written down, in C, and looked at when it returns. So success, handle_error
// and waitExternal take effect then (B2), and calling them costs no change of
// language; what another thread says after waitExternal is kept until then. Breaking a rule of §2 is InternalError on the run of the step that is
// executing on that thread (B9, E7); a call from where there is none fails the
// step that waits, or is reported to the loop's error handler.
//
// # Pointers
//
// A FutoInAsyncSteps* lies in C memory and names one step, a parallel step, or a
// root. That of a step is good from its code's begin until its end, that of a
// parallel step takes steps until the code that made it returns, and that of a
// root until free. Used later it is recognised as void and refused; its memory
// never goes back to the system, and names no other step before 64 more have
// ended. No pointer to Go memory is kept in C, but for what values point to,
// which is pinned; see package binval.
//
// Memory of stack belongs to what its pointer names (B10): a step, in its code and
// its cancel hook, a parallel step, a root. It is cleaned and freed when that ends,
// that of a root when the root is freed. A pointer that is used too late gives
// memory as well, without its cleanup, and the violation is reported: the C++
// wrapper writes to it without a look.
//
// # Threads
//
// A run belongs to its loop. Code of its steps runs there, and only that code,
// on that thread, may add, wait, loop or call stateVariable; from elsewhere that
// is a violation. A root that isn't executed may be used from one thread at a
// time. From any thread: success and handle_error for a step that waits, which
// are queued to the loop (O5); execute, cancel, newInstance and free of a root;
// isValid, rootId, is_same_thread and the sched functions, whose callbacks run on
// the loop. is_same_thread is 1 inside callbacks of the loop.
//
// A foreign engine given to [Wrap] must allow sched_immediate and is_same_thread
// from any thread: without that nothing outside could ever complete anything. A call
// of sched_immediate from outside its loop may block until the loop has come round,
// but not until the callback has been called; it is made by a thread of this package
// that holds no lock. So are delays of less than 100 ms, which the C++ engine refuses.
// newInstance, and free of such an instance, are called on the loop only. The engine
// may be ended as soon as its loop has nothing left to do.
//
// # Values
//
// Arguments belong to the code that gets them; it resets what it doesn't forward
// (B1). Values that reach no code are reset by the engine.
//
// # Said twice
//
// The C++ wrapper reports an error, throws it, catches it and reports it again;
// with break and continue it does the same. Until the code of a step has returned,
// the same word once more changes nothing, with the info of the first report. Its
// await says success and then breaks the loop, in one turn: the loop ends with those
// values (B11).
//
// # Choices where the interface is silent
//
// stateVariable("error_info") is a string: the info of the last error, or NULL;
// it lives until the next call for it. A second execute calls its
// unhandled_error with InternalError and disturbs nothing else. unhandled_error
// isn't called for a run that was cancelled. Breaking a loop by label finds the
// nearest loop whose label has that name, also one of C around Go around C.
//
// FTN12 is the specification at
// https://specs.futoin.org/final/preview/ftn12_async_api-1.10.html;
// a § names one of its sections. A letter and a number in brackets, like (C3),
// name a rule of docs/semantics.md in the repository.
package cabi
