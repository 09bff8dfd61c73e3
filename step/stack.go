package step

// Stack allocates a T that belongs to the step: the T is zeroed when the step has
// ended, in any way. Sub-steps, the step's cancel hook and its handler may
// use it.
//
// The memory is the garbage collector's, so a pointer kept beyond the step is
// safe: it points to a zero T that nobody else uses. Called with a scope whose
// step has ended, Stack still returns a T; see [Scope] for what else happens.
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

// StackCleanup is [Stack] with a function that is called when the step has ended, before the memory is zeroed:
// after the step's handler, newest first, once, on the loop. A panic in it fails a step that has succeeded;
// otherwise it is treated as that of a hook, see [Scope.SetCancel]. With a scope whose step has ended, cleanup is
// never called. A nil cleanup is allowed.
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
