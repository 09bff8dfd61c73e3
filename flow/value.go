package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
)

// Value succeeds with v and ignores its input. Put it after steps that are run for their effect. The same v is given
// to every run: if it is a pointer or a map, runs share what it points to.
//
//spec:ftn12 §1.12, §2.2.1 successStep
func Value[In, T any](v T) Plan[In, T] { return Plan[In, T]{op.Value[In](v)} }
