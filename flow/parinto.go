package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Branch is a branch of a [ParInto]: a stage, and a function that stores its result in an S. The
// zero Branch is reported by Plan.Err.
type Branch[In, S any] struct {
	add func(in Ref[In]) Part[S]
}

// To makes a [Branch]: when s and all other branches have succeeded, set is called with the result of
// s. set runs on the loop of the run and must not block. A nil s and a nil set are reported by Plan.Err.
//
//spec:ftn12 §1.4, §2.2.1 parallel
func To[In, S, T any](s step.Step[In, T], set func(to *S, v T)) Branch[In, S] {
	stage := op.Given(s, "To: the stage is nil")
	return Branch[In, S]{func(in Ref[In]) Part[S] { return Put(Node(in, stage), set) }}
}

// ParInto runs branches of any number and any types side by side, each with the input, and returns
// their results as a struct:
//
//	page := flow.ParInto(
//		flow.To(findUser, func(p *Page, u User) { p.User = u }),
//		flow.To(findOrders, func(p *Page, o []Order) { p.Orders = o }),
//	)
//
// When all branches have succeeded, their set functions are applied to the zero S, in the order of the branches. ParInto
// is a [Graph] with a node for each branch: errors, cancellation and concurrency are those of [Par], and the path of a
// branch is graph.N. Plan.Err reports a ParInto without branches.
//
//spec:ftn12 §1.4, §2.2.1 parallel; rule P7
func ParInto[In, S any](branches ...Branch[In, S]) Plan[In, S] {
	for _, b := range branches {
		if b.add == nil {
			return Plan[In, S]{op.Missing[In, S]("ParInto: a branch is the zero Branch")}
		}
	}
	return Graph(func(in Ref[In]) Ref[S] {
		parts := make([]Part[S], len(branches))
		for i, b := range branches {
			parts[i] = b.add(in)
		}
		return Gather(parts...)
	})
}
