package step

// Stack allocates a T that belongs to the step: the T is zeroed when the step has
// ended, in any way. Sub-steps, the step's cancel hook and its handler may
// use it.
//
// The memory belongs to the garbage collector, so a pointer kept after the end
// of the step is safe: it points to a zero T that no other code uses. Called with
// a scope whose step has ended, Stack still returns a T; see [Scope] for what else
// happens.
//
//spec:ftn12 §1.14, §2.2.2 stack; rule S3
func Stack[T any](as Scope) *T {
	p := new(T)
	if f := as.ref.Frame(); f != nil {
		f.Defer(func() {
			var zero T
			*p = zero
		})
	}
	return p
}

// StackCleanup is [Stack] with a cleanup that is called once, on the loop, when the step has ended: after the step's
// handler, and before the memory is zeroed. The newest cleanup of a step is called first. If the step has succeeded, a
// panic in cleanup fails it. Otherwise the panic is treated like that of a hook, see [Scope.SetCancel]. With a scope
// whose step has ended, cleanup is never called. A nil cleanup is allowed.
//
//spec:ftn12 §1.14, §2.2.2 stack
func StackCleanup[T any](as Scope, cleanup func(*T)) *T {
	p := new(T)
	if f := as.ref.Frame(); f != nil {
		f.Defer(func() {
			defer func() {
				var zero T
				*p = zero
			}()
			if cleanup != nil {
				cleanup(p)
			}
		})
	}
	return p
}
