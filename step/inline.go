package step

import "github.com/futoin-go/asyncsteps/internal/frame"

// The compiler makes the methods of generic ops in the package that uses them, and inlines a function
// of package frame there only if it knows the body. A package passes on the bodies of its own functions,
// and of those that it has inlined in code that isn't generic. So what the ops of this package call for
// each step is called by these functions.

// scopeOf returns the scope of the current step of f.
func scopeOf(f *frame.Frame) Scope { return Scope{f.Ref()} }

// made reports whether the current step of f has made the Next that holds how, which is of kind.
func made(f *frame.Frame, how, kind uint64) bool { return how == f.Stamp()|kind }

// endedLevel returns the frame of the sub-steps that have just ended, nil if the step has waited.
func endedLevel(f *frame.Frame) *frame.Frame { return f.Ended() }
