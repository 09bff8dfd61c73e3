package step

import "github.com/futoin-go/asyncsteps/internal/frame"

// The methods of the generic ops of this package are compiled in the package that uses them. There
// the compiler inlines a function of package frame only if it finds the body of that function in the
// export data of this package, which has the bodies of functions that code without type parameters
// has inlined. So the ops call what they need for each step through the functions of this file.

// scopeOf returns the scope of the current step of f.
func scopeOf(f *frame.Frame) Scope { return Scope{f.Ref()} }

// made reports whether the current step of f has made the Next whose field how is given. kind is into or wait.
func made(f *frame.Frame, how, kind uint64) bool { return how == f.Stamp()|kind }

// endedLevel returns the frame of the sub-steps that have just ended, nil if the step has waited.
func endedLevel(f *frame.Frame) *frame.Frame { return f.Ended() }
