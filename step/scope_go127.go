//go:build go1.27

package step

// The methods in this file do what the functions of the same names do. They need
// Go 1.27, which allows type parameters of methods.

// Stack allocates a T that belongs to the step, as the function [Stack] does.
//
//spec:ftn12 §1.14, §2.2.2 stack
func (as Scope) Stack[T any]() *T { return Stack[T](as) }

// StackCleanup allocates a T that belongs to the step, and has cleanup called when the step has
// ended, as the function [StackCleanup] does.
func (as Scope) StackCleanup[T any](cleanup func(*T)) *T { return StackCleanup(as, cleanup) }
