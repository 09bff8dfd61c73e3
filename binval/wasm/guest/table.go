//go:build wasip1

package guest

//go:wasmimport futoin add
func tableAdd(as, data, body, catch uint32)

//go:wasmimport futoin parallel
func tableParallel(as, data, catch uint32) uint32

//go:wasmimport futoin stack
func tableStack(as, size, cleanup uint32) uint32

//go:wasmimport futoin success
func tableSuccess(as, args uint32)

//go:wasmimport futoin handle_error
func tableError(as, code, info uint32)

//go:wasmimport futoin setTimeout
func tableTimeout(as, ms uint32)

//go:wasmimport futoin setCancel
func tableCancel(as, data, hook uint32)

//go:wasmimport futoin waitExternal
func tableWait(as uint32)

//go:wasmimport futoin loop
func tableLoop(as, data, body, label uint32)

//go:wasmimport futoin repeat
func tableRepeat(as, data, count, body, label uint32)

//go:wasmimport futoin breakLoop
func tableBreak(as, label uint32)

//go:wasmimport futoin continueLoop
func tableContinue(as, label uint32)

//go:wasmimport futoin sched_deferred
func tableDeferred(handle, as, ms, data, callback uint32)

//go:wasmimport futoin guard
func tableGuard(name uint32) uint32

//go:wasmimport futoin lock
func tableLock(as, guard uint32)

//go:wasmimport futoin unlock
func tableUnlock(as, guard uint32)

//go:wasmimport futoin addSync
func tableAddSync(as, guard, data, body, catch uint32)

//go:wasmimport futoin isValid
func tableValid(as uint32) uint32
