package step

import "github.com/futoin-go/asyncsteps/internal/frame"

// The methods of generic ops are compiled in the package that uses them. There the compiler inlines a function
// of package frame only if the export data of package step has its body, which holds for functions that code
// without type parameters has inlined. So generic ops call these functions, which have no type parameters.

// scopeOf returns the scope of the current step of f.
func scopeOf(f *frame.Frame) Scope { return Scope{f.Ref()} }

// made reports whether the current step of f has made the Next whose field how is given. kind is into or wait.
func made(f *frame.Frame, how, kind uint64) bool { return how == f.Stamp()|kind }

// endedLevel returns the frame of the sub-steps that have just ended, or nil if the step has waited.
func endedLevel(f *frame.Frame) *frame.Frame { return f.Ended() }
