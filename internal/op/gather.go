package op

import (
	"slices"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/site"
)

// Setter stores a value of a graph in an S, for example in a field.
type Setter[S any] struct {
	lineage

	set func(Values, *S)
}

// Put returns a Setter that calls set with the value that from refers to.
func Put[S, T any](from Ref[T], set func(*S, T)) Setter[S] {
	made := site.Here()
	l := from.taken("Put: the Ref", made)
	if set == nil {
		l.bad = slices.Concat(l.bad, wrong(made, "Put: the function is nil"))
	}
	return Setter[S]{l.spoilt(), func(v Values, to *S) { set(to, from.get(v)) }}
}

type gather[S any] struct {
	frame.Leaf
	setters []Setter[S]
	out     plan.Cell[S]
}

func (o *gather[S]) Exec(f *frame.Frame) frame.Verdict {
	v := f.Follower().(interface{ values(f *frame.Frame) Values }).values(f.Forker())
	to := o.out.At(f)
	var zero S
	*to = zero
	for i := range o.setters {
		o.setters[i].set(v, to)
	}
	return frame.Done
}

// Gather adds a vertex that makes an S: the zero S, to which the setters are applied
// in their order.
func Gather[S any](setters []Setter[S]) Ref[S] {
	made := site.Here()
	all := make([]lineage, len(setters))
	for i, s := range setters {
		all[i] = s.lineage
	}
	l := together("Gather: the Part", made, all...)
	if len(all) == 0 {
		l.bad = wrong(made, "Gather: there is no Put")
	}
	if l.bad != nil {
		return Ref[S]{lineage: l}
	}
	v := &vertex{made: made, from: l.from, give: func(Values, *frame.Activation) {}}
	v.node = plan.NewNode[S, S]("gather", func(e *plan.Emitter, n *plan.Node) {
		e.Op(n, &gather[S]{setters: setters, out: plan.Output[S](e)})
	})
	return grow[S, S](l.drawing, v)
}
