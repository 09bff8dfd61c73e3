package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
)

// Value returns a step that succeeds with v and ignores its input. Put it after steps that are run for their effect. Every
// run gets the same v: if that is a pointer or a map, runs share what it points to.
//
//spec:ftn12 §1.12, §2.2.1 successStep
func Value[In, T any](v T) Plan[In, T] { return Plan[In, T]{op.Value[In](v)} }
