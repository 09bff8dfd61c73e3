package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Carry runs s and returns the input of s together with its result, for later steps that need
// both:
//
//	flow.Then(flow.Carry(findUser), greet) // greet gets flow.Pair[ID, User]
//
// The input is copied; if it is a pointer or a map, s and later steps share what it points to.
// Carry adds one step after those of s, and no level: errors, cancellation and concurrency are
// those of s. It allocates nothing.
//
//spec:ftn12 §1.1, §2.2.1 add
func Carry[In, Out any](s step.Step[In, Out]) Plan[In, Pair[In, Out]] {
	return Plan[In, Pair[In, Out]]{op.Carry("carry", op.Given(s, "Carry: the stage is nil"), func(in In, out Out) Pair[In, Out] {
		return Pair[In, Out]{in, out}
	})}
}

// Tap runs s on its input and then passes the input on: the result of s is dropped. Use it for
// a step that has an effect and a result that nobody needs. Otherwise it is like [Carry]: an error
// of s fails the step, and later steps wait for s. Wrap s in [Catch] to ignore its error.
//
//spec:ftn12 §1.1, §2.2.1 add
func Tap[In, Out any](s step.Step[In, Out]) Plan[In, In] {
	return Plan[In, In]{op.Carry("tap", op.Given(s, "Tap: the stage is nil"), func(in In, _ Out) In { return in })}
}
