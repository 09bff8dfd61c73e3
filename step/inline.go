package step

import "github.com/futoin-go/asyncsteps/internal/frame"

// Generic code calls these functions, which have no type parameters and so are compiled only once.

// scopeOf returns the scope of the current step of f.
func scopeOf(f *frame.Frame) Scope { return Scope{f.Ref()} }

// made reports whether the current step of f has made the Next whose field how is given. kind is into or wait.
func made(f *frame.Frame, how, kind uint64) bool { return how == f.Stamp()|kind }

// endedLevel returns the frame of the sub-steps that have just ended, or nil if the step has waited.
func endedLevel(f *frame.Frame) *frame.Frame { return f.Ended() }
