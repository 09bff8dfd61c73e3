package loopx

import (
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Loop runs body repeatedly until a [Break]: the first iteration begins with the input of the
// loop, each further one with the result of the one before.
//
// Errors: an error of an iteration that isn't recovered inside ends the loop and goes on
// outwards. Cancellation: a timeout or cancel ends the iteration as it ends any step.
// Concurrency: a long loop lets other runs of its event loop work; see tool.TurnLimits.
// Allocation: an iteration allocates nothing. A nil body is reported by flow.Plan.Err.
//
//spec:ftn12 §1.8, §2.2.4 loop; rule L5
func Loop[T any](body step.Step[T, T]) flow.Plan[T, T] {
	return build[forever[T], T, T, T]("loop", body, "Loop: the body is nil", forever[T]{})
}

type forever[T any] struct{}

func (*forever[T]) Open(in T) T { return in }

func (*forever[T]) Next(carry T, item *T) bool {
	*item = carry
	return true
}

func build[S, In, Item, T any, P op.Source[S, In, Item, T]](
	kind string, body step.Step[Item, T], missing string, source S,
) flow.Plan[In, T] {
	return flow.Of(op.Loop[S, In, Item, T, P](kind, op.Given(body, missing), source))
}
