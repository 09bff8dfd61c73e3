//go:build go1.27

package step

// The methods in this file do what the functions of the same names do. They exist
// from Go 1.27 on, whose methods may have type parameters.

// Stack is the function [Stack] as a method: a T that belongs to the step.
//
//spec:ftn12 §1.14, §2.2.2 stack
func (as Scope) Stack[T any]() *T { return Stack[T](as) }

// StackCleanup is the function [StackCleanup] as a method: a T that belongs to the step, with
// a function that is called when the step has ended.
func (as Scope) StackCleanup[T any](cleanup func(*T)) *T { return StackCleanup(as, cleanup) }
