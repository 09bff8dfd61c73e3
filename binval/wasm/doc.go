// Package wasm runs steps that are written in any language that compiles to WebAssembly, in a sandbox and without cgo. It is
// a module of its own, and needs the runtime wazero.
//
//	m, err := wasm.Load(ctx, binary, wasm.Limits{})
//	price := wasm.Step[Order, float64](m, "price")
//
// [Step] makes a stage of an export, which composes like any other. The run executes what the guest adds: sub-steps, branches, loops,
// waits, guards. [Await] runs a guest that computes for long on a goroutine of its own. There are SDKs for guests in C and
// AssemblyScript, in the folder sdk, and in Go, package guest; docs/guide/wasm.md shows how to use them.
//
// # The table
//
// A guest imports the functions of the table of FTN12 from the module futoin, by their names: add, parallel, success, … They follow
// the same rules as the functions of binval/cabi for C; the same C programs test both. The structs have the layout of C
// with pointers of 32 bits. There are some more imports: lock and unlock of a FutoInSync, mutex_new, throttle_new, limiter_new,
// guard, which finds a guard of [Limits] by its name, and sync_free.
//
// A guest exports its memory, and the function futoin_call, by which the host calls functions of the guest's table and its
// allocator; the SDKs have it. Steps are exports with the parameters of FutoInAsyncSteps_execute_callback.
//
// Guards are those of the host: a FutoInSync* with functions of the guest's own is refused. The code of a step locks a guard by
// its own pointer, and any pointer with the same rootId unlocks it. What is still locked when the step of the host has ended is
// unlocked then. addSync doesn't notice that its flow has already entered the guard by lock; the flow may then wait for itself.
// Objects that only Go understands don't cross.
//
// Most calls of add, setTimeout, setCancel and waitExternal that a step makes with its own pointer don't leave the guest. [Load]
// adds code to the guest that notes up to eight such calls in the guest's memory. The host makes these calls, in their order,
// before the next call of the table that leaves the guest, or when the step returns. A guest that writes to this memory itself
// can do no more than call these functions; otherwise it is stopped.
//
// # The sandbox
//
// Nothing is imported but the table and the functions of WASI that [Limits] names. Limits also bound the memory, what the host
// keeps for a guest, and how long a guest may hold the loop of a run. A guest traps if it calls the table with a pointer outside
// of its memory, or a pointer of steps that the host hasn't made, just as if it executes an impossible instruction. Its step fails
// with an error that Is [ErrTrap] or describes the call, and that names the functions of the guest. The other steps of that
// instance fail too, and it isn't used again. A violation of a rule, such as success twice or a pointer of a step that has
// ended, is an InternalError of the step that is executing, and the instance stays in use.
//
// An instance serves one execution of a step or, with Limits.Reuse, one after the other. Everything else that the guest has begun, such
// as timers, ends with the step.
//
// # Concurrency
//
// A [Module] may be used from any goroutine. An instance is used on the loop of its run or, with [Await], on a goroutine of its own.
//
//spec:ftn12 §2.7; rules B1, B2, B3, B4, B5, B7, B9, B10, B11, B12, B13
package wasm
